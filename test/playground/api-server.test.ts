/** The claims of the API server in memory hold over the wire too, with the client of the controller. */
import { afterAll, beforeAll, vi } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { apiServerSuite, type Subject } from '../api-server/suite.ts';
import { unique } from '../api-server/suite/objects.ts';
import { type WireSubject, wireSubject } from '../api-server/suite/wire-subject.ts';
import { connectionOf } from './connection.ts';
import { kinds } from '../support/kinds.ts';

let subject: Subject;
let bookmarkedAt = 0;
let playground: Playground;
let wire: WireSubject;
const faults: unknown[] = [];

beforeAll(async () => {
  const manifests = resources.map((resource) => crdOf(resource) as unknown as KubeObject);
  playground = await startPlayground({ manifests, nodes: 2, port: 0, onFault: (error) => faults.push(error) });
  wire = wireSubject(connectionOf(playground));
  const { admin } = wire;
  subject = {
    ...wire,
    async namespace() {
      const name = unique('wire');
      await admin.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    eventually: (check) => vi.waitFor(check, { timeout: 20_000, interval: 20 }),
    // One is under way for a moment.
    bookmark({ kind }) {
      if (Date.now() - bookmarkedAt < 2_000) return;
      bookmarkedAt = Date.now();
      playground.server.bookmark(kind);
    },
  };
});
afterAll(async () => {
  await wire.close();
  await playground.stop();
  if (faults.length > 0) throw new Error('requests failed in the server', { cause: faults[0] });
});

apiServerSuite(() => subject);
