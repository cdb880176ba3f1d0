/** The few requests that the harness itself makes. Tests use kubectl or the project's own client. */
import { Agent, request } from 'undici';
import type { KeyPair } from './pki.ts';

export interface Api {
  /** The parsed answer; throws with the server's message when the status is no success. */
  call<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** The status code alone; 0 without an answer. */
  status(path: string): Promise<number>;
  close(): Promise<void>;
}

const PATCH_TYPE = 'application/merge-patch+json';

export function connectApi(server: string, ca: string, admin: KeyPair): Api {
  const dispatcher = new Agent({ connect: { ca, cert: admin.certificate, key: admin.key }, connections: 8 });
  return {
    call: async <T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
      const { statusCode, body: answer } = await request(`${server}${path}`, {
        dispatcher,
        method,
        headers: { 'content-type': method === 'PATCH' ? PATCH_TYPE : 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
      // The API server answers JSON; what is in it is the caller's business.
      return JSON.parse(text) as T;
    },
    status: async (path) => {
      try {
        const { statusCode, body } = await request(`${server}${path}`, { dispatcher, headersTimeout: 5000 });
        await body.dump();
        return statusCode;
      } catch {
        return 0;
      }
    },
    close: () => dispatcher.destroy(),
  };
}
