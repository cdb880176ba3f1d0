import { onTestFinished } from 'vitest';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { ClusterConnection } from '../../../src/kube/client/connection.ts';
import { admissionWebhook } from '../../support/webhook.ts';
import type { Subject } from '../suite.ts';
import { CRD, definitionOf } from './definitions.ts';

/** The part that every server with a wire has in common. */
export interface WireSubject extends Pick<Subject, 'client' | 'webhook' | 'install' | 'uninstall'> {
  readonly admin: KubeClient;
  /** Closes all clients. */
  close(): Promise<void>;
}

export function wireSubject(connection: ClusterConnection): WireSubject {
  const clients: KubeClient[] = [];
  const client = (fieldManager: string) => {
    const made = createClient(connection, { fieldManager });
    clients.push(made);
    return made;
  };
  const admin = client('admin');
  return {
    admin,
    client,
    async webhook(type, namespace, sample, review) {
      onTestFinished(await admissionWebhook(admin, type, namespace, sample, review));
    },
    async install(type) {
      await admin.create(CRD, definitionOf(type));
    },
    uninstall: ({ plural, group }) => admin.delete(CRD, { name: `${plural}.${group}` }),
    async close() {
      await Promise.all(clients.map((each) => each.close()));
    },
  };
}
