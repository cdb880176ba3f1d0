import type { KnownObjects, KnownDataset } from './known.ts';
import type { Pod } from './pod.ts';
import type { InjectionOptions } from './injection-options.ts';

/** The input of a plugin, beside the pod. */
export interface Admission {
  /** Namespace of the request; the pod's own may be absent. */
  readonly namespace: string;
  readonly injection: InjectionOptions;
  readonly known: KnownObjects;
  readonly settings: WebhookSettings;
  /** The Datasets that the pod of the request mounts, by claim name. Claims that are not known count as none. */
  readonly uses: readonly DatasetUse[];
  /** The same of a pod that was changed: clients may themselves mount Datasets. */
  usesOf(pod: Pod): readonly DatasetUse[];
  /** Says something to the user who creates the pod, without denying it. */
  warn(message: string): void;
  /** 12 random hexadecimal digits, others each time. */
  random(): string;
}

/** A claim of the pod that is a Dataset's. */
export interface DatasetUse {
  readonly claim: string;
  readonly dataset: KnownDataset;
}

export interface WebhookSettings {
  /** DISABLE_INJECTION: no pod is changed. */
  readonly disabled: boolean;
  /** Sidecars are restartable init containers, which Kubernetes starts first and stops last. */
  readonly nativeSidecars: boolean;
  /** KEY_SERVERLESS_PLATFORM: a label that asks for sidecars, and names their platform. */
  readonly platformLabel?: string;
  /** FILE_PREFETCHER_IMAGE, or the image of Sluice. */
  readonly prefetcher: { readonly image: string; readonly isOurs: boolean };
}

/** Changes a pod; a pod that it has nothing to do with is returned as it is. Throws Denied. */
export type Mutation = (pod: Pod, admission: Admission) => Pod;

/** A step of the chain that the ConfigMap `webhook-plugins` lists, under Fluid's name. */
export interface MutationPlugin {
  readonly name: string;
  /** Pods that ask for sidecars get them from it: the chain for such pods has it. */
  readonly givesSidecars?: true;
  /** `args` is the plugin's entry in `pluginConfig`, parsed. Throws an Error that names the field, what was expected and what was found. */
  configure(args: unknown): Mutation;
}
