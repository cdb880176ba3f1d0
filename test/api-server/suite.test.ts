import { beforeEach } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/crd.ts';
import { typeOf } from '../../src/planning/kinds.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import { createControllers } from '../../src/api-server/controllers/index.ts';
import { kinds } from '../support/kinds.ts';
import { createSchemas } from '../../src/api-server/schema/index.ts';
import { Refusal } from '../../src/api-server/refusals.ts';
import { isRefused, WEBHOOK } from '../support/webhook.ts';
import { unique } from './suite/objects.ts';
import { apiServerSuite, type Subject } from './suite.ts';

const known = createSchemas(resources.map(crdOf));
const ROUNDS = 100;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let subject: Subject;
beforeEach(() => {
  const server = createApiServer({ kinds: resources.map(typeOf), schemas: known });
  const controllers = createControllers(server);
  for (const name of ['node-1', 'node-2']) server.put({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} });
  subject = {
    client: (fieldManager) => server.client({ fieldManager }),
    async namespace() {
      const name = unique('test');
      await server.client().create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    async eventually(check) {
      for (let round = 1; ; round++) {
        controllers.settle();
        await turn();
        try {
          return await check();
        } catch (error) {
          if (round === ROUNDS) throw error;
        }
      }
    },
    async webhook({ kind }, namespace, _, review) {
      server.rules.mutate({ kind, namespace }, (object) => {
        const verdict = review(object);
        if (!isRefused(verdict)) return verdict;
        const { code, reason, message } = verdict.refused;
        throw new Refusal(code, reason, `admission webhook "${WEBHOOK}" denied the request: ${message}`);
      });
    },
    install: async (type) => server.install(type),
    uninstall: async ({ kind }) => server.uninstall(kind),
    bookmark: ({ kind }) => server.bookmark(kind),
  };
});

apiServerSuite(() => subject);
