/** The API server's audit log: clients and their requests. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { SharedControlPlane } from './connect.ts';

export interface AuditEvent {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly stage: string;
}

/** A place in the log, to look back to. */
export const auditMark = ({ auditLog = '' }: SharedControlPlane): number => statSync(auditLog).size;

/** Requests of a user, or of users, that were answered since, the opening of watches among them. */
export function auditSince(
  { auditLog = '' }: SharedControlPlane,
  mark: number,
  user: string | ((name: string) => boolean),
): readonly AuditEvent[] {
  const file = openSync(auditLog, 'r');
  try {
    const text = Buffer.alloc(fstatSync(file).size - mark);
    readSync(file, text, 0, text.length, mark);
    return text
      .toString('utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter(({ user: { username } }) => (typeof user === 'string' ? username === user : user(username)));
  } finally {
    closeSync(file);
  }
}

/** Requests that change something, the lease apart: `patch datasets/status ns/name 200`. */
export const writesIn = (events: readonly AuditEvent[]): readonly string[] =>
  events
    .filter(({ verb, objectRef, stage }) => stage === 'ResponseComplete' && !READING.has(verb) && objectRef?.resource !== 'leases')
    .map(({ verb, objectRef = {}, responseStatus }) => {
      const { resource, subresource, namespace, name } = objectRef;
      return `${verb} ${resource}${subresource ? `/${subresource}` : ''} ${namespace ?? ''}/${name ?? ''} ${responseStatus?.code}`;
    });
const READING = new Set(['get', 'list', 'watch']);
