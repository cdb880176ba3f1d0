/** The table of versions in docs/compatibility.md. Pure. */
import { DEFAULT_KUBERNETES, PATCHES } from '../../harness/tools/kubernetes.ts';
import type { Counts, FileReport } from '../test-counts.ts';
import { countTopic, TOPIC_NAMES } from './topics.ts';

const BEGIN = '<!-- written by: npm run versions -->\n';
const END = '<!-- end -->';

/**
 * The page with a row for this version, in the order of the versions. The rows of others stay.
 *
 * @throws Error when the page has no place for the table
 */
export function withRow(page: string, minor: string, reports: readonly FileReport[]): string {
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  const end = page.indexOf(END, begin);
  if (begin < BEGIN.length || end < 0) throw new Error(`expected ${BEGIN.trim()} and ${END} in the page`);
  const rows = new Map([...page.slice(begin, end).matchAll(/^\| (\d+\.\d+)\..*$/gm)].map(([row, found = '']) => [found, row]));
  rows.set(minor, rowOf(minor, reports));
  const head = [
    ['Kubernetes', ...TOPIC_NAMES],
    ['---', ...TOPIC_NAMES.map(() => '---')],
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const sorted = Object.keys(PATCHES).flatMap((each) => rows.get(each) ?? []);
  return `${page.slice(0, begin)}\n${[...head, ...sorted].join('\n')}\n\n${page.slice(end)}`;
}

function rowOf(minor: string, reports: readonly FileReport[]): string {
  const name = `${PATCHES[minor]}${minor === DEFAULT_KUBERNETES ? ', the default' : ''}`;
  const cells = TOPIC_NAMES.map((topic) => cell(countTopic(topic, reports)));
  return `| ${[name, ...cells].join(' | ')} |`;
}

/** `17`, `16, 1 skipped`, `2 of 17 fail`. */
function cell(counts: Counts | undefined): string {
  if (!counts) return 'not run';
  const { passed, failed, skipped } = counts;
  const without = skipped > 0 ? `, ${skipped} skipped` : '';
  return failed > 0 ? `**${failed} of ${passed + failed} fail**${without}` : `${passed}${without}`;
}
