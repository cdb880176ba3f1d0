import { describe } from '../../api/index.ts';
import type { InputFault } from '../input/documents.ts';
import { faultLine, inPlace, published } from '../input/faults.ts';
import { complain, say, sayText, visible } from '../terminal.ts';
import { version } from '../version.ts';
import { changeLines, isDifference, masked } from './change-lines.ts';
import type { Change } from '../../planning/diff/change.ts';

export const FORMATS = ['text', 'json', 'github', 'sarif'] as const;
export type Format = (typeof FORMATS)[number];

/** The findings of `diff`. */
export interface Findings {
  /** Absent: nothing was compared with a cluster. */
  readonly changes?: readonly Change[];
  readonly faults: readonly InputFault[];
  /** Warnings, and what was passed over, a line each. */
  readonly notes: readonly string[];
  /** The number of objects in the input. */
  readonly objects?: number;
}

/** Prints the report, and sets the exit code: 2 for faults, 1 for changes. */
export function print(report: Findings, format: Format): void {
  const sorted = { ...report, faults: inPlace(report.faults) };
  const { changes = [], faults } = sorted;
  if (format === 'text') printText(sorted);
  else sayText(visible(TEXTS[format](sorted)));
  process.exitCode = faults.length > 0 ? 2 : changes.some(isDifference) ? 1 : 0;
}

function printText({ changes, faults, notes, objects = 0 }: Findings): void {
  complain(...notes);
  if (changes) say(...changeLines(changes));
  if (faults.length > 0) complain(...faults.map(faultLine));
  else if (!changes) say(`No faults in ${objects} ${objects === 1 ? 'object' : 'objects'}. They were not compared with a cluster.`);
}

const TEXTS: Readonly<Record<Exclude<Format, 'text'>, (report: Findings) => string>> = {
  json: ({ changes, faults, notes }) =>
    `${JSON.stringify({ ...(changes && { changes: changes.map(shownChange) }), faults: faults.map(published), warnings: notes }, null, 2)}\n`,
  // https://docs.github.com/actions/reference/workflow-commands-for-github-actions
  github: ({ faults, notes }) =>
    [
      ...faults.map((fault) => {
        const at = { file: fault.file, line: fault.line, col: fault.column, title: fault.object ?? 'input' };
        const places = Object.entries(at).map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
        return `::error ${places.join()}::${escapedData(textOf(withoutObject(fault)))}\n`;
      }),
      ...notes.map((note) => `::warning::${escapedData(note)}\n`),
    ].join(''),
  // https://docs.oasis-open.org/sarif/sarif/v2.1.0
  sarif: ({ faults }) =>
    `${JSON.stringify(
      {
        $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
        version: '2.1.0',
        runs: [
          {
            tool: { driver: { name: 'sluice', version: version(), rules: [{ id: 'fault' }] } },
            results: faults.map((fault) => ({
              ruleId: 'fault',
              level: 'error',
              message: { text: textOf(fault) },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: fault.file === '<stdin>' ? 'stdin' : fault.file.split('/').map(encodeURIComponent).join('/') },
                    region: { startLine: fault.line, startColumn: fault.column },
                  },
                },
              ],
            })),
          },
        ],
      },
      null,
      2,
    )}\n`,
};

/** Values of Secrets are left out. */
const shownChange = ({ before, after, ...change }: Change): object => ({
  ...change,
  ...((change.action === 'add' || change.action === 'change') && { diff: masked(before, after).join('\n') }),
});

const withoutObject = ({ object: _object, ...fault }: InputFault): InputFault => fault;
const textOf = (fault: InputFault): string => (fault.path ? describe(fault) : `expected ${fault.expected}, found ${fault.found}`);
const escapedData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapedProperty = (text: string): string => escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
