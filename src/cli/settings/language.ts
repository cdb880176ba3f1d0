import type { Command, Option } from 'commander';
import type { Language } from '../../planning/advice.ts';
import { LANGUAGES } from '../../explain/texts/texts.ts';
import type { Environment } from './config.ts';

export const languageOption = (command: Command): Option =>
  command.createOption('--lang <language>', 'language of the advice in text (default: by LC_ALL, LC_MESSAGES, LANG)').choices(LANGUAGES);

/** The language of the user's locale, of those that advice is written in, by the precedence of POSIX. */
export function languageOf(env: Environment): Language {
  const locale = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].find(Boolean) ?? '';
  return /^zh(?![a-z])/i.test(locale) ? 'zh' : 'en';
}

/** The language that an option asks for. Default: that of the locale, but a program that reads JSON gets the same in every locale. */
export const languageFor = ({ output, lang }: { readonly output: string; readonly lang?: Language }, env: Environment): Language =>
  lang ?? (output === 'json' ? 'en' : languageOf(env));
