/** A take-over, and the way back, that end at any write, and begin again. */
import { describe, expect, test } from 'vitest';
import { WRITES } from '../../../src/api-server/index.ts';
import type { ApiRequest } from '../../../src/api-server/index.ts';
import { Refusal } from '../../../src/api-server/index.ts';
import { Stopped } from '../../../src/takeover/steps/stopped.ts';
import { back, go, scene, type Scene } from '../scene.ts';

const isOwn = ({ manager, options }: ApiRequest): boolean => (manager === 'sluice-takeover' || manager === 'kubectl') && !options['dryRun'];

/** Lets the write of this number, from 1, do what `meet` says. */
function atWrite(at: Scene, number: number, meet: { readonly before?: () => void; readonly after?: () => void }): void {
  let count = 0;
  at.server.rules.add({ verb: WRITES, when: (request) => isOwn(request) && ++count === number }, meet);
}

function writesOf(at: Scene): number {
  return at.server.requestsThat({ verb: WRITES, when: isOwn }).length;
}

const killed = (): never => {
  throw new Stopped(['killed']);
};

describe.each([
  ['go', go, async () => {}],
  ['back', back, go],
] as const)('%s', (_, command, before) => {
  async function start(): Promise<Scene> {
    const at = scene({ nodes: 1 });
    await before(at);
    at.server.forgetRequests();
    return at;
  }
  async function whole() {
    const at = await start();
    await command(at);
    return { writes: writesOf(at), digest: at.digest() };
  }

  test('ends the same whichever write was its last before it began again', async () => {
    const { writes, digest } = await whole();
    expect(writes).toBeGreaterThan(10);
    for (let number = 1; number <= writes; number++) {
      const at = await start();
      atWrite(at, number, { after: killed });
      await expect(command(at), `after write ${number}`).rejects.toThrow('killed');
      await command(at);
      expect(at.digest(), `after write ${number}`).toEqual(digest);
      expect(at.violations, `after write ${number}`).toEqual([]);
    }
  });

  test('goes on by itself after an answer that may pass, and after any other once it is begun again', async () => {
    const { writes, digest } = await whole();
    for (let number = 1; number <= writes; number++) {
      const at = await start();
      // Three in four of them pass.
      const status = [500, 503, 409, 403][number % 4] ?? 500;
      atWrite(at, number, {
        before() {
          throw new Refusal(status, { 403: 'Forbidden', 409: 'Conflict' }[status] ?? 'InternalError', 'not now');
        },
      });
      if (status === 403) await expect(command(at), `write ${number}`).rejects.toThrow(/^cannot .*403 Forbidden/);
      await command(at);
      expect(at.digest(), `write ${number}`).toEqual(digest);
      expect(at.violations, `write ${number}`).toEqual([]);
    }
  });
});
