import type { Language } from '../../planning/advice.ts';
import { en, type Texts } from './en.ts';
import { zh } from './zh.ts';

export const LANGUAGES: readonly Language[] = ['en', 'zh'];

/** The advice and the fixed phrases of a language. Default: English. */
export const textsIn = (language: Language = 'en'): Texts => (language === 'zh' ? zh : en);
