import { stringify } from 'yaml';
import { label } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { type Line, styled } from '../terminal.ts';
import type { Change } from '../../planning/diff/change.ts';
import { readable } from './changes.ts';
import { unified } from './unified.ts';

/** Each change as a unified diff, and their numbers. */
export function changeLines(changes: readonly Change[]): readonly Line[] {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const counts = [
    `${count('add')} to add`,
    `${count('change')} to change`,
    `${count('prune')} to delete`,
    ...(count('refuse') > 0 ? [`${count('refuse')} that cannot be written`] : []),
  ];
  const same = count('none');
  const total = changes.some(isDifference)
    ? `${counts.join(', ')}, ${same} unchanged.`
    : `No differences in ${same} ${same === 1 ? 'object' : 'objects'}.`;
  const gap = count('unknown') > 0 ? ' Of what is named above, some was not compared.' : '';
  return [...changes.flatMap(section), [styled('bold', `${total}${gap}`)]];
}

export const isDifference = ({ action }: Change): boolean => action !== 'none' && action !== 'unknown';

const TITLES = {
  add: 'would be added',
  change: 'would be changed',
  prune: 'would be deleted',
  refuse: 'cannot be written',
  none: '',
  unknown: '',
} as const;

/** The effect of a change in words, its notes among them; empty for an object that stays as it is. */
export const effectText = (change: Change): string =>
  [...(change.note === undefined ? [TITLES[change.action]] : [change.note]), ...notesOf(change)].filter((text) => text !== '').join('; ');

const notesOf = ({ problem, immutable, stale, restarting, labelled = [] }: Change): readonly string[] => [
  ...(problem ? [problem] : []),
  ...immutable,
  ...(stale.length > 0 ? [`${pods(stale)} the old template until deleted: ${stale.join(', ')}`] : []),
  ...(labelled.length > 0 ? [`get the label ${label.datasetId}, and run on: ${labelled.join(', ')}`] : []),
  ...(restarting.length > 0 ? [`would restart: ${restarting.join(', ')}`] : []),
];

function section(change: Change): readonly Line[] {
  const { object, action, before, after, note } = change;
  const notes = notesOf(change).map((text) => `! ${text}`);
  if (note !== undefined) return [[styled('bold', `${object} ${note}`)], ''];
  if (action === 'none' && notes.length === 0) return [];
  const hunks = action === 'add' || action === 'change' ? masked(before, after) : [];
  const invisible = action === 'change' && hunks.length === 0 ? ['  (only in annotations of the controller)'] : [];
  const title = [styled('bold', `${object}${TITLES[action] && ` ${TITLES[action]}`}`)];
  return [title, ...hunks.map(painted), ...invisible, ...notes.map((note) => [styled('yellow', note)]), ''];
}

const pods = ({ length }: readonly string[]): string => (length === 1 ? '1 pod keeps' : `${length} pods keep`);

/** A unified diff of the two as YAML. Of a Secret it shows which keys differ, not what is in them. */
export function masked(before: KubeObject | undefined, after: KubeObject | undefined): readonly string[] {
  const [old, young] = [before, after].map((object) => (object ? (readable(object) as Record<string, unknown>) : undefined));
  if ((after ?? before)?.kind === 'Secret') {
    const [a, b] = [old?.['data'], young?.['data']] as [Record<string, string>?, Record<string, string>?];
    if (old) old['data'] = mask(a, b, 'before');
    if (young) young['data'] = mask(b, a, 'after');
  }
  return unified(yamlLines(old), yamlLines(young));
}

/** Hides values so that equal ones still look equal, and different ones different. */
const mask = (data: Record<string, string> = {}, other: Record<string, string> = {}, word: string) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, other[key] === undefined || other[key] === value ? '***' : `*** (${word})`]),
  );

const yamlLines = (object: object | undefined): readonly string[] =>
  object ? stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true }).trimEnd().split('\n') : [];

function painted(line: string): Line {
  if (line.startsWith('@@')) return [styled('cyan', line)];
  if (line.startsWith('+')) return [styled('green', line)];
  return line.startsWith('-') ? [styled('red', line)] : line;
}
