import type { PodExec } from '../../src/kube/exec.ts';
import { exampleFileSystem } from '../support/example-exec.ts';
import type { Dice } from './dice.ts';
import { A, B, CANARY } from './scene.ts';

const answers: readonly string[] = [
  '',
  '{}',
  '{"__proto__": {"a": 1}, "constructor": 2}',
  'null',
  'NaN',
  '1e309',
  '-1',
  `${CANARY}\n`.repeat(5_000),
  `s3:${'/'.repeat(4_000)}x on /data`,
  'cached 99999999999999999999 hits -1 misses NaN\n',
  `{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`,
  '\u001B[2J\u0000\uFFFD\r\n',
  'x'.repeat(100_000),
  's3://bucket on /data',
];

/** Pods of the attacker print what it likes, fail or never answer; all others as they should. */
export function hostileExec(dice: Dice): PodExec {
  const files = exampleFileSystem();
  let calls = 0;
  return async (pod, argv, ...rest) => {
    if (pod.namespace !== A && pod.namespace !== B) return files.exec(pod, argv, ...rest);
    const answer = dice.of(`call ${calls++ % 7} ${pod.pod} ${argv.join(' ')}`);
    if (answer.is('fails', 0.15)) throw new Error(answer.pick('message', answers));
    return answer.pick('answer', answers);
  };
}
