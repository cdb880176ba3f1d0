/**
 * A small kubelet: runs the programs of pods as processes, with the arguments and variables of their containers and the token of their
 * account. A pod is Ready once its readiness probe succeeds, or, without one, once its process has started; it is gone once that has ended.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../src/kube/contract.ts';
import { ignoreNotFound } from '../../src/kube/errors.ts';
import { Pod } from '../../src/planning/kinds.ts';
import { annotationsFor, type Behaviour } from '../control-plane/behaviours.ts';
import { repeat } from '../control-plane/repeat.ts';
import { type ProgramPod, probeOf } from './pod-shape.ts';
import type { Program } from './program.ts';

const TICK_MS = 100;

export interface PodPrograms {
  /** Ends the process of a pod whose name begins so, with SIGKILL. It starts again. @returns whether one ran */
  kill(name: string): boolean;
  /** How often processes ended by themselves, by the names of their pods. */
  readonly ended: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export interface PodProgramsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly hasProgram: (pod: ProgramPod) => boolean;
  readonly start: (pod: ProgramPod) => Promise<Program>;
  /** URL of a pod's readiness probe. Default: that of its container. */
  readonly probe?: (pod: ProgramPod) => string | undefined;
  /** Receives what a look failed of; the next one follows. */
  readonly onFault: (error: unknown) => void;
}

interface Running {
  readonly name: string;
  program?: Program;
  isReady: boolean;
  isEnding: boolean;
}

/** Plays until it is stopped. */
export function runPods({ client, namespace, hasProgram, start, probe = probeOf, onFault }: PodProgramsOptions): PodPrograms {
  const running = new Map<string, Running>();
  const ended = new Map<string, number>();
  const behave = (pod: ProgramPod, behaviour: Behaviour) =>
    client
      .patch(
        Pod,
        { namespace, name: pod.metadata.name },
        { metadata: { annotations: annotationsFor(pod, behaviour, new Date()) } },
        { type: 'merge' },
      )
      .catch(ignoreNotFound);

  async function begin(pod: ProgramPod, own: Running): Promise<void> {
    const program = await start(pod);
    own.program = program;
    if (own.isEnding) return void program.stop();
    void program.ended.then(async () => {
      if (own.isEnding || own.program !== program) return;
      ended.set(own.name, (ended.get(own.name) ?? 0) + 1);
      delete own.program;
      if (own.isReady) await behave(pod, { as: 'NotReady' }).catch(onFault);
      own.isReady = false;
      // The kubelet's first pause before it starts a container again is longer: 10 s.
      await sleep(1000);
      running.delete(pod.metadata.uid);
    });
  }

  async function end(pod: ProgramPod, own: Running | undefined): Promise<void> {
    if (own) own.isEnding = true;
    await own?.program?.stop();
    await client
      .raw('DELETE', `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}`, {
        body: { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } },
      })
      .catch(ignoreNotFound);
    running.delete(pod.metadata.uid);
  }

  async function look(): Promise<void> {
    // The cast: what the API server stores.
    const pods = ((await client.list(Pod, { namespace })).items as readonly ProgramPod[]).filter(hasProgram);
    const there = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const [uid, own] of running) if (!there.has(uid)) void own.program?.stop().then(() => running.delete(uid));
    for (const pod of pods) {
      const { uid, name, deletionTimestamp } = pod.metadata;
      const own = running.get(uid);
      if (deletionTimestamp !== undefined) {
        if (!own?.isEnding) void end(pod, own).catch(onFault);
      } else if (!own && pod.status?.podIP !== undefined) {
        const fresh = { name, isReady: false, isEnding: false };
        running.set(uid, fresh);
        void begin(pod, fresh).catch(onFault);
      } else if (own?.program && !own.isReady && (await answers(probe(pod)))) {
        own.isReady = true;
        await behave(pod, { as: 'Running' });
      }
    }
  }

  const playing = repeat(look, TICK_MS, onFault);
  return {
    ended,
    kill(name) {
      const own = [...running.values()].find((each) => each.name.startsWith(name) && each.program && !each.isEnding);
      own?.program?.kill();
      return own !== undefined;
    },
    async stop() {
      await playing.stop();
      await Promise.all([...running.values()].map(({ program }) => program?.stop()));
    },
  };
}

async function answers(url: string | undefined): Promise<boolean> {
  if (url === undefined) return true;
  return fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
