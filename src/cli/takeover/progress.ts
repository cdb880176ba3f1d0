import { WITHOUT_CONTROLLER } from '../../takeover/go/forward.ts';
import type { Progress } from '../../takeover/steps/run.ts';
import { firstOpen } from '../../takeover/steps/run.ts';
import { inWords, type Step } from '../../takeover/steps/step.ts';
import type { World } from '../../takeover/world/world.ts';
import { say, styled } from '../terminal.ts';

/** Prints a line for each step, action and wait, with seconds. */
export function progressOf<W extends World>(): Progress<W> & { summary(): readonly string[] } {
  const now = () => performance.now() / 1000;
  let [withoutSince, without]: [number | undefined, number | undefined] = [undefined, undefined];
  let [nodeSince, longest]: [number | undefined, number] = [undefined, 0];
  const nodeEnds = () => {
    if (nodeSince !== undefined) longest = Math.max(longest, now() - nodeSince);
    nodeSince = undefined;
  };
  return {
    done(step, seconds, was) {
      nodeEnds();
      if (withoutSince !== undefined && without === undefined && (step as unknown) === WITHOUT_CONTROLLER.to)
        without = now() - withoutSince;
      say([styled('green', '✓'), ` ${step.title}${was === 'done' ? `  ${seconds.toFixed(1)} s` : ', as before'}`]);
    },
    undone(step, why) {
      say([styled('yellow', '!'), ` not any more: ${step.title}`], ...why.map((line) => `  ${line}`));
    },
    action(action) {
      nodeEnds();
      if (action.do === 'scale' && action.replicas === 0) withoutSince ??= now();
      if (action.do === 'delete' && action.object.type.kind === 'Pod') nodeSince = now();
      say(`  ${inWords(action)}`);
    },
    waits: (what) => say(`  waits until ${what}`),
    summary: () => [
      ...(without === undefined ? [] : [`Without a controller: ${without.toFixed(1)} s.`]),
      ...(longest === 0 ? [] : [`Without a node plugin, at most on one node: ${longest.toFixed(1)} s.`]),
    ],
  };
}

/** Each step, whether it is done, and what it would do. */
export function stepLines<W>(steps: readonly Step<W>[], world: W): readonly (readonly (string | ReturnType<typeof styled>)[])[] {
  const [first] = firstOpen(steps, world);
  return steps.flatMap((step, index) => {
    const contribution = step.of(world);
    if (!contribution) return [[styled('green', '✓'), ` ${step.title}`]];
    const isFirst = index === first;
    const now = [
      ...(contribution.actions ?? []).map((action) => `    would ${inWords(action)}`),
      ...(contribution.waitsFor === undefined ? [] : [`    waits until ${contribution.waitsFor}`]),
      ...(contribution.refusal ?? []).map((line) => `    ${line}`),
    ];
    return [
      [styled('yellow', '○'), ` ${step.title}`],
      ...(step.does === undefined ? [] : [[`    ${step.does}`]]),
      ...(isFirst ? now.map((line) => [line]) : []),
    ];
  });
}
