import { type Language, language, LANGUAGES, texts, type Theme, theme, THEMES } from '../state/settings.ts';
import { Icon } from '../widgets/icons.tsx';

const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const satisfies Readonly<Record<Theme, string>>;

export function Switches() {
  const t = texts.value;
  return (
    <>
      <label class="switch" title={`${t.theme.label}: ${t.theme[theme.value]}`}>
        <Icon name={THEME_ICONS[theme.value]} />
        <select
          aria-label={t.theme.label}
          value={theme.value}
          onChange={({ currentTarget }) => {
            theme.value = THEMES.find((each) => each === currentTarget.value) ?? 'system';
          }}
        >
          {THEMES.map((each) => (
            <option value={each}>{t.theme[each]}</option>
          ))}
        </select>
      </label>
      <label class="switch" title={t.languageLabel}>
        <Icon name="language" />
        <select
          aria-label={t.languageLabel}
          value={language.value}
          onChange={({ currentTarget }) => {
            language.value = currentTarget.value as Language;
          }}
        >
          {Object.entries(LANGUAGES).map(([name, table]) => (
            <option value={name} lang={name}>
              {table.language}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
