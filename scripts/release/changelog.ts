/** The changelog at a release: the section that collects changes gets the version and the day, and is what the tag says. */
const UNRELEASED = /^## Unreleased(?:: (\S+))?\n/m;

export interface Released {
  /** The changelog with the section under its version. */
  readonly text: string;
  /** The section, without its heading. */
  readonly notes: string;
}

/** @throws Error if there is nothing to release, or the section is of another version. */
export function release(changelog: string, version: string, day: string): Released {
  const heading = UNRELEASED.exec(changelog);
  if (!heading) throw new Error('CHANGELOG.md: expected a section "## Unreleased: <version>", found none');
  const [line, planned] = heading;
  if (planned !== undefined && planned !== version)
    throw new Error(`CHANGELOG.md: expected the section "## Unreleased: ${version}", found "${line.trim()}"`);
  if (changelog.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md: ${version} is released already`);
  const begin = heading.index + line.length;
  const next = changelog.slice(begin).search(/^## /m);
  const notes = (next === -1 ? changelog.slice(begin) : changelog.slice(begin, begin + next)).trim();
  if (!/^- /m.test(notes)) throw new Error(`CHANGELOG.md: expected changes under "${line.trim()}", found none`);
  return { text: changelog.replace(UNRELEASED, `## ${version} (${day})\n`), notes };
}
