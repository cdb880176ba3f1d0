/** Moves there and back, each compared object by object, and each killed at chosen points. */
import { setTimeout as sleep } from 'node:timers/promises';
import { auditMark } from '../../harness/control-plane/audit.ts';
import { type Outcome, takeover } from '../../harness/takeover/commands.ts';
import { differences, type Snapshot, snapshot } from '../../harness/takeover/snapshot.ts';
import type { Stage } from '../../harness/takeover/stage.ts';
import { witness } from '../../harness/takeover/witness.ts';
import { counted, type Write, writesSince } from '../../harness/takeover/writes.ts';
import { DEFAULT_NAMESPACE as NAMESPACE } from '../../src/install/fluid.ts';

export const COMMANDS = {
  go: ['go', '--image', 'sluice:1'],
  back: ['back'],
  finish: ['finish', '--yes'],
} as const;
export type Command = keyof typeof COMMANDS;

export interface Moves {
  /** Runs a command to its end, once killed at a line if `kill` says so; prints its figures. Returns how much was wrong. */
  move(command: Command, kill?: { readonly line: number; readonly program: string }): Promise<number>;
  /** Lines that each command printed when nothing killed it. */
  readonly lines: Readonly<Partial<Record<Command, number>>>;
}

export interface MovesOptions {
  /** A claim that a pod with a sidecar would mount. */
  readonly asked: { readonly namespace: string; readonly name: string };
  readonly log: string;
  readonly say: (text: string) => void;
}

const CONTROLLER = `system:serviceaccount:${NAMESPACE}:sluice-controller`;
/** The user of the command. */
const USER = 'takeover';
/** Passes of controllers go on after a command has ended. */
const CALM_MS = 5000;

export async function createMoves(stage: Stage, { asked, log, say }: MovesOptions): Promise<Moves> {
  const { plane, client, pods, plugins } = stage;
  const kubeconfig = await plane.kubeconfigFor(USER, ['system:masters']);
  const lines: Partial<Record<Command, number>> = {};

  async function calm(mark: number): Promise<readonly Write[]> {
    for (let before = -1; ; ) {
      const writes = writesSince(plane, mark).filter(({ user, object }) => user === CONTROLLER && !object.startsWith('leases '));
      if (writes.length === before) return writes;
      before = writes.length;
      await sleep(CALM_MS);
    }
  }

  async function run(command: Command, kill: Parameters<Moves['move']>[1]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    if (kill) {
      let printed = 0;
      const onLine = (_line: string, end: () => boolean): void => {
        if (++printed !== kill.line) return;
        if (pods.kill(kill.program)) say(`  killed ${kill.program}`);
        end();
      };
      outcomes.push(await takeover(COMMANDS[command], { kubeconfig, log, onLine }));
    }
    outcomes.push(await takeover(COMMANDS[command], { kubeconfig, log }));
    return outcomes;
  }

  return {
    lines,
    async move(command, kill) {
      const before = await snapshot(client, NAMESPACE);
      const seen = witness(client, NAMESPACE, asked);
      const mark = auditMark(plane);
      const outcomes = await run(command, kill);
      const last = outcomes.at(-1);
      const adopted = await calm(mark);
      await seen.stop();
      const after = await snapshot(client, NAMESPACE);
      const wrong = [...wrongIn(command, before, after), ...seen.saw, ...plugins.violations.splice(0)];
      if (last?.code !== 0) wrong.push(`ended with ${last?.code}: ${last?.lines.slice(-4).join(' ')}`);
      if (!kill) lines[command] = last?.lines.length ?? 0;
      const how = outcomes.map(({ code, seconds }) => `${code} after ${seconds.toFixed(1)} s`).join(', ');
      say(`${command}${kill ? `, killed at line ${kill.line}` : ''}: ${how}; ${before.size} objects, ${wrong.length} wrong`);
      if (!kill) for (const line of figures(command, last, writesSince(plane, mark), adopted, after)) say(`  ${line}`);
      for (const each of wrong.slice(0, 20)) say(`  ✗ ${each}`);
      return wrong.length;
    },
  };
}

/** `finish` deletes what Fluid kept of releases; nothing else may go. */
const wrongIn = (command: Command, before: Snapshot, after: Snapshot): readonly string[] =>
  differences(before, after).filter(
    (what) => command !== 'finish' || !/^ConfigMap \S+(-values|\/sh\.helm\.release\.v1\.\S+) is gone$/.test(what),
  );

function figures(
  command: Command,
  last: Outcome | undefined,
  writes: readonly Write[],
  adopted: readonly Write[],
  after: Snapshot,
): readonly string[] {
  const own = writes.filter(({ user, code, what }) => user === USER && code < 300 && !what.includes('accessreviews'));
  const [, without] = /Without a controller: ([\d.]+) s/.exec(last?.lines.join('\n') ?? '') ?? [];
  const count = [...after.values()].filter(({ metadata }) => metadata.labels?.['data.fluid.io/owner-uid'] !== undefined).length;
  return [
    `writes of the command: ${own.length}: ${counted(own)}`,
    ...(command === 'go'
      ? [
          `without a controller: ${without ?? '?'} s`,
          `writes of the controller: ${adopted.length}, of ${count} objects that it owns: ${counted(adopted.filter(({ code }) => code < 300))}`,
        ]
      : []),
  ];
}
