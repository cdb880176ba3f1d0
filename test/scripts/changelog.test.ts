import { expect, test } from 'vitest';
import { release } from '../../scripts/release/changelog.ts';

const changelog = (heading: string, changes = '- **Kinds.** New.\n- More.') =>
  `# Changelog\n\nText.\n\n${heading}\n\n${changes}\n\n## 0.1.0 (2026-10-01)\n\n- The first.\n`;

test('the section of changes gets version and day, and is what the tag says', () => {
  const { text, notes } = release(changelog('## Unreleased: 0.2.0'), '0.2.0', '2026-11-25');
  expect(text).toBe(changelog('## 0.2.0 (2026-11-25)'));
  expect(notes).toBe('- **Kinds.** New.\n- More.');
});

test.each([
  ['the section is of another version', changelog('## Unreleased: 0.2.0'), '0.3.0', 'expected the section "## Unreleased: 0.3.0"'],
  ['the version is released already', changelog('## Unreleased'), '0.1.0', '0.1.0 is released already'],
  ['no change is named', changelog('## Unreleased: 0.2.0', 'Nothing.'), '0.2.0', 'expected changes'],
  ['no section collects changes', changelog('## 0.2.0 (2026-11-01)'), '0.3.0', 'found none'],
])('a release is refused if %s', (_, text, version, message) => {
  expect(() => release(text, version, '2026-11-25')).toThrow(message);
});
