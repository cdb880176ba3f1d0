import { some } from '../../planning/some.ts';
import { installationInWords } from '../../takeover/fluid/in-words.ts';
import type { ValuesPlan } from '../../takeover/plan/carry-over.ts';
import { FATES, type ObjectPlan } from '../../takeover/plan/objects.ts';
import type { TakeoverPlan } from '../../takeover/plan/takeover-plan.ts';
import { type Line, styled } from '../terminal.ts';

/** The report: a summary, each object in a line, the values, and what has to be decided. */
export function planLines(plan: TakeoverPlan): readonly Line[] {
  const { fluid, summary, groups, values, decisions, notes } = plan;
  return [
    ...installationInWords(fluid),
    '',
    ...summaryLines(summary),
    ...groups.flatMap(({ of, objects }) => ['', [styled('bold', of)], ...objects.map(objectLine)]),
    ...section('Values of the chart', valueLines(values)),
    ...section('Notes', notes),
    ...section(
      'To decide',
      decisions.flatMap(({ about, what, how }): readonly Line[] => [[styled('yellow', `! ${about}: `), what], `  ${how}`]),
    ),
    '',
    [styled('bold', decisions.length === 0 ? 'Nothing has to be decided.' : `${count(decisions.length, 'decision')} to make.`)],
  ];
}

function summaryLines({ datasets, runtimes, operations, objects, harmed }: TakeoverPlan['summary']): readonly Line[] {
  const list = (what: string, counts: Readonly<Record<string, number>>) => {
    const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
    const parts = Object.entries(counts).map(([name, number]) => `${number} ${name}`);
    return `${count(total, what)}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`;
  };
  const fates = FATES.flatMap((fate) => (objects[fate] === undefined ? [] : [`${objects[fate]} ${FATE_IN_WORDS[fate]}`]));
  return [
    list('Dataset', datasets),
    list('runtime', runtimes),
    list('operation', operations),
    `Their objects: ${fates.join(', ') || 'none'}.`,
    harmed === 0
      ? 'No pod restarts or ends, and no mount is lost.'
      : [styled('red', `${count(harmed, 'object')} with pods that restart or end, or mounts that are lost.`)],
  ];
}

const FATE_IN_WORDS = {
  adopted: 'adopted as they are',
  changed: 'adopted and changed in place',
  created: 'created',
  deleted: 'deleted',
  kept: 'left as they are',
  refused: 'that Sluice may not write',
  unknown: 'not compared',
} as const;

function objectLine({ object, fate, fields, notes, harm }: ObjectPlan): Line {
  const what = fate === 'changed' ? `adopted, changes in place: ${some(fields)}` : OBJECT_IN_WORDS[fate];
  const text = `  ${object}: ${[what, ...notes].join('; ')}`;
  return harm.length > 0 ? [text, styled('red', `; ${harm.join('; ')}`)] : text;
}

const OBJECT_IN_WORDS = {
  adopted: 'adopted as it is',
  created: 'is created',
  deleted: 'is deleted',
  kept: 'stays as it is',
  refused: 'is not written',
  unknown: 'is not compared',
} as const;

function valueLines({ carried, left, unknown }: ValuesPlan): readonly Line[] {
  return [
    ...carried.map(
      ({ chart, place, value, from }) =>
        `${chart} → ${place}: ${JSON.stringify(value)}${from === 'cluster' ? ' (as its controllers have it)' : ''}`,
    ),
    ...left.map(({ paths, because }) => `no place: ${some(paths)}: ${because}`),
    ...(unknown.length > 0 ? [`no chart of Fluid 1.0 has these: ${unknown.join(', ')}`] : []),
  ];
}

const section = (title: string, lines: readonly Line[]): readonly Line[] =>
  lines.length === 0
    ? []
    : ['', [styled('bold', title)], ...lines.map((line): Line => (typeof line === 'string' ? `  ${line}` : ['  ', ...line]))];

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
