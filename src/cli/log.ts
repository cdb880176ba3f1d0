import { Option } from 'commander';
import { pino } from 'pino';
import { REDACTED, redactedText } from '../api/redact.ts';
import type { Log } from '../kube/types.ts';
import { visible } from './terminal.ts';

export const logOptions = (): Option =>
  new Option('--log-level <level>', 'lowest level to log').choices(['debug', 'info', 'warn', 'error']).default('info');

/** Fields whose values are redacted at any depth. */
const SECRET_FIELD = /^(data|stringData|token|password|authorization)$/i;

/** JSON, a line a decision, on standard output. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: null,
    // JSON leaves some characters as they are that terminals obey.
    hooks: { streamWrite: visible },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => redacted(fields) as Record<string, unknown> },
    serializers: { err: serializedError },
  });
}

/** A copy without secrets: fields by their name, and credentials inside of texts, such as a metadata URL in a command's error. */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactedText(value);
  if (typeof value !== 'object' || value === null || value instanceof Error || depth > 6) return value;
  if (Array.isArray(value)) return value.map((each) => redacted(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, SECRET_FIELD.test(key) ? REDACTED : redacted(each, depth + 1)]),
  );
}

/** An answer of the API server explains itself; any other error is a defect, and its stack is logged. */
function serializedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack = '' } = error;
  const isExplained = ['ApiError', 'NoAnswer', 'NotLeader', 'InvalidSpec'].includes(name);
  return { type: name, message: redactedText(message), ...(!isExplained && { stack: redactedText(stack) }) };
}
