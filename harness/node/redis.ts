import type { KubeObject } from '../../src/kube/types.ts';
import { JUICEFS_IMAGE } from './images.ts';

/** The metadata engine of a JuiceFS that is shown or tried: a Redis in memory, and its Service. */
export const redis = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'redis', labels: { app: 'redis' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'redis',
          image: JUICEFS_IMAGE,
          command: ['redis-server', '--save', '', '--protected-mode', 'no', '--dir', '/tmp'],
          readinessProbe: { exec: { command: ['redis-cli', 'ping'] }, periodSeconds: 1 },
        },
      ],
    },
  },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'redis' }, spec: { selector: { app: 'redis' }, ports: [{ port: 6379 }] } },
] as unknown as readonly KubeObject[];
