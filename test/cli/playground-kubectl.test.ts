/** Commands of kubectl that send protobuf, or ask for what is no object, against the playground. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Playground, startPlayground } from '../../src/playground/playground.ts';
import { canRun } from '../support/can-run.ts';
import { kubectlFolder } from '../support/kubectl.ts';

const folder = kubectlFolder();

describe.skipIf(!canRun('kubectl at the playground', folder === undefined ? 'there is no kubectl' : undefined))(
  'kubectl at the playground:',
  () => {
    const home = mkdtempSync(join(tmpdir(), 'sluice-kubectl-'));
    let playground: Playground;
    const faults: unknown[] = [];
    beforeAll(async () => {
      playground = await startPlayground({ manifests: [], nodes: 2, port: 0, onFault: (error) => faults.push(error) });
      writeFileSync(join(home, 'kubeconfig'), playground.kubeconfig);
    });
    afterAll(async () => {
      await playground.stop();
      rmSync(home, { recursive: true, force: true });
    });
    const kubectl = async (command: string) => {
      const env = { HOME: home, KUBECONFIG: join(home, 'kubeconfig') };
      const { stdout } = await promisify(execFile)(join(folder ?? '', 'kubectl'), command.split(' '), { env });
      return stdout.trim();
    };

    // One after the other, on one server: none can be tried again alone.
    test.each([
      ['create namespace team', 'namespace/team created'],
      ['create configmap a -n team --from-literal=k=v', 'configmap/a created'],
      ['create secret generic a -n team --from-literal=k=v', 'secret/a created'],
      ['create serviceaccount a -n team', 'serviceaccount/a created'],
      ['create service clusterip a -n team --tcp=80:8080', 'service/a created'],
      ['create role a -n team --verb=get --resource=pods', 'role.rbac.authorization.k8s.io/a created'],
      ['create rolebinding a -n team --role=a --user=x', 'rolebinding.rbac.authorization.k8s.io/a created'],
      ['create clusterrole a --verb=get --resource=pods', 'clusterrole.rbac.authorization.k8s.io/a created'],
      ['create quota a -n team --hard=pods=10', 'resourcequota/a created'],
      ['create poddisruptionbudget a -n team --selector=app=a --min-available=50%', 'poddisruptionbudget.policy/a created'],
      ['create priorityclass a --value=5', 'priorityclass.scheduling.k8s.io/a created'],
      ['create cronjob a -n team --image=i --schedule=@daily', 'cronjob.batch/a created'],
      ['create job a -n team --image=i -- true', 'job.batch/a created'],
      ['wait job/a -n team --for=condition=Complete --timeout=60s', 'job.batch/a condition met'],
      ['get pods -n team -l job-name=a -o jsonpath={.items[*].status.phase}', 'Succeeded'],
      ['create deployment a -n team --image=i --replicas=2', 'deployment.apps/a created'],
      ['rollout status deployment/a -n team --timeout=60s', 'deployment "a" successfully rolled out'],
      ['get poddisruptionbudget a -n team -o jsonpath={.spec.minAvailable}', '50%'],
      ['drain playground-0 --force', /pod\/a-\S+ evicted\nnode\/playground-0 drained$/],
      ['get pods -n team --field-selector=spec.nodeName=playground-0,status.phase=Running -o name', ''],
      ['auth can-i delete nodes', 'yes'],
      ['auth whoami -o jsonpath={.status.userInfo.username}', 'playground'],
    ])('%s', async (command, answer) => {
      const said = await kubectl(command);
      if (typeof answer === 'string') expect(said).toContain(answer);
      else expect(said).toMatch(answer);
      if (answer === '') expect(said).toBe('');
      expect(faults).toEqual([]);
    });
  },
);
