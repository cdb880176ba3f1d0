import type { KubeObject } from '../../src/kube/types.ts';

/** A pod of a program, as far as a kubelet reads it. */
export interface ProgramPod extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly uid: string; readonly namespace: string };
  readonly spec: { readonly serviceAccountName?: string; readonly nodeName?: string; readonly containers: readonly [Container] };
  readonly status?: { readonly podIP?: string; readonly phase?: string };
}

interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string; readonly port: string | number } };
}

/** The ServiceAccount that the pod runs as. */
export const accountOf = ({ metadata: { namespace }, spec: { serviceAccountName: account = 'default' } }: ProgramPod) => ({
  namespace,
  account,
});

/** The variables of the container, as a kubelet gives them. Those of Node.js' memory are meant for the container's limit. */
export function variablesOf({
  metadata,
  spec: {
    containers: [{ env = [] }],
  },
}: ProgramPod): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = { 'metadata.name': metadata.name, 'metadata.namespace': metadata.namespace };
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }) => {
      const text = value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ''];
      return text === undefined || /^(NODE_|MALLOC_)/.test(name) ? [] : [[name, text]];
    }),
  );
}

/** The URL of the readiness probe; undefined: a container without one is ready once it runs. */
export function probeOf({
  spec: {
    containers: [{ ports = [], readinessProbe }],
  },
  status,
}: ProgramPod): string | undefined {
  const { httpGet } = readinessProbe ?? {};
  if (!httpGet) return undefined;
  const port = ports.find(({ name }) => name === httpGet.port)?.containerPort ?? httpGet.port;
  return `http://${status?.podIP}:${port}${httpGet.path}`;
}
