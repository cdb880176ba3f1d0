/** The file system of the example runtime, as far as its masters answer for it. */
import type { SharedControlPlane } from '../../harness/index.ts';
import { type Mounted, mountsText, obey } from './example-mounts.ts';

export interface ExampleEngine {
  /** The table of mounts. */
  readonly mounted: ReadonlyMap<string, string>;
  /** The commands that were run, without the name of the program. */
  commands(): Promise<readonly string[]>;
  /** As after a restart of the masters. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** Answers `example mounts`, `mount` and `unmount` in a namespace by one table; `mountMs` is how long mounting takes. */
export async function startEngine({ exec }: Pick<SharedControlPlane, 'exec'>, namespace: string, mountMs = 150): Promise<ExampleEngine> {
  const mounted: Mounted = new Map();
  let seen = 0;
  let running = true;
  const answer = () => exec.answer({ namespace, argv: ['example', 'mounts'], stdout: mountsText(mounted) });
  await exec.answer({ namespace, argv: ['example', 'report'], stdout: 'cached 1024 hits 9 misses 1\n' });
  await exec.answer({ namespace, argv: ['example', 'count'], stdout: '4096 2\n' });
  await exec.answer({ namespace, argv: ['example', 'id'], stdout: 'c0ffee\n' });
  for (const verb of ['mount', 'unmount']) await exec.answer({ namespace, argv: ['example', verb], delayMs: mountMs });
  await answer();
  const calls = async () => (await exec.calls({ namespace })).filter(({ argv }) => argv[0] === 'example');
  const played = (async () => {
    while (running) {
      const all = await calls();
      const fresh = all.slice(seen);
      seen = all.length;
      const changes = fresh.filter(({ argv }) => obey(mounted, argv.slice(1)));
      if (changes.length > 0) await answer();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    mounted,
    commands: async () => (await calls()).map(({ argv }) => argv.slice(1).join(' ')),
    async forget() {
      mounted.clear();
      await answer();
    },
    async stop() {
      running = false;
      await played;
    },
  };
}
