import pLimit from 'p-limit';
import type { Answered, BoundProbe, Command, Role } from '../../../constructs/index.ts';
import { isRunnable } from '../../../constructs/startable.ts';
import type { PodExec } from '../../../kube/exec.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { Question, Where } from '../../world.ts';

/** Pods that one command runs in at a time: each is a connection. */
const PODS_AT_ONCE = 32;
const DEFAULT_TIMEOUT_S = 20;

export interface PodChoice {
  readonly namespace: string;
  pods(role: Role): readonly KubeObject[];
  /** Asked for each run of commands that needs it: a leader may change at any time. */
  readonly leader?: Question<string | undefined> | undefined;
}

/** Commands on the leader were not run, since none of the pods leads. */
export const NO_LEADER = 'no pod reports that it leads yet';

/** Bytes of all answers to a probe together, which are in memory at once: 64 KiB of 64 pods, or a line of each of thousands. */
const MOST_TOGETHER = 4 << 20;

/**
 * Runs commands one after the other, each in its pods. Returns what they printed, a list of pods for each command.
 * @param mostBytes of what one pod prints; without it nothing is kept of what they print
 */
export async function runCommands(
  exec: PodExec,
  choice: PodChoice,
  commands: readonly Command[],
  mostBytes?: number,
): Promise<readonly (readonly string[])[]> {
  const { namespace, pods, leader } = choice;
  const leading = lazy(async () => leader && askProbe(exec, { namespace, pods }, leader));
  const answers: (readonly string[])[] = [];
  let together = 0;
  function keep(answer: string): string {
    if (mostBytes === undefined) return '';
    together += answer.length;
    if (together > MOST_TOGETHER) throw new Error(`pods printed more than ${MOST_TOGETHER} bytes together`);
    return answer;
  }
  for (const { in: role, on, container, argv, timeoutSeconds = DEFAULT_TIMEOUT_S, mayFail } of commands) {
    const ready = pods(role).filter((pod) => pod['ready']);
    const name = on === 'leader' ? await leading() : undefined;
    const chosen = choose[on](ready, name);
    if (on === 'leader' && chosen.length === 0) throw new Error(NO_LEADER);
    const mayBeNone = role === 'fuse' && on === 'every';
    if (!isRunnable(argv)) throw new Error(`the command is too long to be run: ${argv.join(' ').slice(0, 100)}`);
    if (chosen.length === 0 && !mayBeNone) throw new Error(`no ready ${role} pod to run ${argv[0]} in`);
    const where = (pod: KubeObject) => ({ namespace, pod: pod.metadata.name, container: container ?? String(pod['container']) });
    const asked = await pLimit(PODS_AT_ONCE).map(chosen, async (pod) =>
      exec(where(pod), argv, timeoutSeconds * 1000, mostBytes)
        .catch((error: unknown) => {
          if (!mayFail) throw error;
        })
        .then((answer) => (answer === undefined ? undefined : keep(answer))),
    );
    answers.push(asked.filter((answer) => answer !== undefined));
  }
  return answers;
}

const choose: Readonly<Record<Command['on'], (ready: readonly KubeObject[], leader: string | undefined) => readonly KubeObject[]>> = {
  every: (ready) => ready,
  one: (ready) => ready.slice(0, 1),
  first: (ready) => ready.filter(({ metadata }) => metadata.name.endsWith('-0')),
  leader: (ready, leader) => ready.filter(({ metadata }) => metadata.name === leader),
};

/** Whether each command has a ready pod to run in, or, for the leader, a ready pod to ask which one leads. No command is run for that. */
export function canRun({ namespace, pods, leader }: PodChoice, where: readonly Where[]): boolean {
  return where.every(({ in: role, on }) =>
    on === 'leader'
      ? leader !== undefined && canRun({ namespace, pods }, leader.where ?? leader.commands)
      : choose[on](
          pods(role).filter((pod) => pod['ready']),
          undefined,
        ).length > 0,
  );
}

export const askProbe = async <T>(exec: PodExec, choice: PodChoice, probe: BoundProbe<T>, before?: Answered<T>): Promise<T> =>
  probe.parse(await runCommands(exec, choice, probe.commands, probe.mostBytes), before);

/** Work that begins when it is first asked for, and is done once. */
function lazy<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => (begun ??= work());
}
