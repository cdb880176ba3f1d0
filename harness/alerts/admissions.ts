import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { USERS } from './objects.ts';
import type { Stage } from './stage.ts';

/** Asks the webhook each second, as an API server would, about a pod with a claim that does not exist. Returns how to end that. */
export async function startWebhookRequests({ webhook }: Stage): Promise<() => Promise<void>> {
  let goesOn = true;
  const asking = (async () => {
    while (goesOn) {
      await admission(webhook.port).catch(() => undefined);
      await pause(1000);
    }
  })();
  return async () => {
    goesOn = false;
    await asking;
  };
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'app', namespace: USERS, labels: { 'serverless.fluid.io/inject': 'true' } },
  spec: {
    containers: [{ name: 'main', image: 'example.io/app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'nowhere' } }],
  },
};

function admission(port: number): Promise<void> {
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', namespace: USERS, operation: 'CREATE', resource: { group: '', version: 'v1', resource: 'pods' }, object: pod },
  };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: webhookNames.path, method: 'POST', rejectUnauthorized: false, agent: false };
    request(options, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end(JSON.stringify(review));
  });
}
