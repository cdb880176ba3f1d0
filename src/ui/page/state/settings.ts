/** Choices of the viewer for this browser, kept in localStorage if the browser allows it. */
import { computed, effect, signal } from '@preact/signals';
import { en, type Texts } from '../texts/en.ts';
import { zh } from '../texts/zh.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const LANGUAGES = { en, zh } as const satisfies Readonly<Record<string, Texts>>;
export type Language = keyof typeof LANGUAGES;

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text);

export const theme = signal<Theme>(THEMES.find((each) => each === kept('theme')) ?? 'system');
export const language = signal<Language>(chosenLanguage());
/** The texts of the page. Read in a component, it is drawn again when the language changes. */
export const texts = computed((): Texts => LANGUAGES[language.value]);

/** The theme that is seen; of the system while none is chosen. */
const systemIsDark = signal(matchMedia('(prefers-color-scheme: dark)').matches);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches;
});
export const isDark = computed(() => theme.value === 'dark' || (theme.value === 'system' && systemIsDark.value));

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  keep('theme', theme.value);
});
effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-Hans' : 'en';
  keep('language', language.value);
});

function chosenLanguage(): Language {
  const before = kept('language');
  if (isLanguage(before)) return before;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(`sluice.${name}`);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`sluice.${name}`, value);
  } catch {
    // A browser that keeps nothing forgets it at the end of the visit.
  }
}
