/**
 * The claims of the API server in memory (src/api-server), as cases that a real API server passes too. It claims nothing else. Run on the
 * one in memory by suite.test.ts, on a control plane by test/cluster/api-server.test.ts.
 */
import { describe } from 'vitest';
import type { KubeClient } from '../../src/kube/contract.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import type { Review } from '../support/webhook.ts';
import { admission } from './suite/admission.ts';
import { applying } from './suite/applying.ts';
import { completing } from './suite/completing.ts';
import { controllers } from './suite/controllers.ts';
import { deleting } from './suite/deleting.ts';
import { reading } from './suite/reading.ts';
import { schemas } from './suite/schemas.ts';
import { watching } from './suite/watching.ts';
import { writing } from './suite/writing.ts';

/** An API server to be tried, with the CustomResourceDefinitions of this project and three nodes at most. */
export interface Subject {
  client(fieldManager: string): KubeClient;
  /** A new one. */
  namespace(): Promise<string>;
  /** Until the check does not throw any more, what goes on by itself goes on. */
  eventually<T>(check: () => Promise<T>): Promise<T>;
  /** Until the test has finished, a webhook has its say in what is written of a kind in a namespace. `sample` is such an object. */
  webhook(type: ResourceType, namespace: string, sample: KubeObject, review: Review): Promise<void>;
  /** A CustomResourceDefinition comes, with a status subresource; and goes again. */
  install(type: ResourceType): Promise<void>;
  uninstall(type: ResourceType): Promise<void>;
  /** Sends watches of a kind a bookmark, where the server does not do so by itself. */
  bookmark(type: ResourceType): void;
}

export function apiServerSuite(subject: () => Subject): void {
  describe('reading', () => reading(subject));
  describe('writing', () => writing(subject));
  describe('completing', () => completing(subject));
  describe('schemas', () => schemas(subject));
  describe('applying', () => applying(subject));
  describe('deleting', () => deleting(subject));
  describe('watching', () => watching(subject));
  describe('admission', () => admission(subject));
  describe('controllers', () => controllers(subject));
}
