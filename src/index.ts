/**
 * What a runtime is written with. Schemas and everything else about custom resources: `sluice/api`; a conformance suite and a real control
 * plane for tests: `sluice/testing`; constructs for users' charts: `sluice/cdk8s`.
 */
export { defineRuntime } from './constructs/index.ts';
export type {
  BasePlan,
  BoundProbe,
  BoundRuntime,
  CacheUse,
  ClaimFact,
  Cleanup,
  Command,
  ComponentClass,
  Facts,
  FusePlan,
  MountTable,
  Needs,
  ObjectLabels,
  ObjectNeed,
  Part,
  PlanInput,
  PortNeed,
  Probe,
  Role,
  Runtime,
  RuntimeDefinition,
  SecretNeed,
  Seen,
  Settings,
  UfsUsage,
  VolumePlan,
} from './constructs/index.ts';

// Planning.
export { type BaseChoices, basePlan, must, nextGeneration, together } from './constructs/index.ts';
export { absolutePath, type Options, optionList, positional } from './constructs/index.ts';
export { claimNames, claimOf, mountsAlike } from './constructs/index.ts';
export { optionSecrets, type SecretOption, secretEnv, secretOptions, type SecretVariable, secretVariables } from './constructs/index.ts';
export { base64, fromBase64, secretDirectory, secretFiles } from './constructs/index.ts';
export { cacheByMedium, imageOf, levelQuotas, withMemory } from './constructs/index.ts';
export { cacheTexts, diskUsage, usedBytes } from './constructs/index.ts';

// Rendering.
export { type ComponentProps, Fuse, Master, Worker } from './constructs/index.ts';
export { account, commonLabels, KubeObject, type OwnedObject, owned, podCommonLabels } from './constructs/index.ts';
export { type Arg, env, isEnvName, sh, word } from './constructs/index.ts';
export { claimTemplates, type Mounted, userVolumes } from './constructs/index.ts';

// What of `sluice/api` every runtime needs.
export { type CustomResource, type Fault, InvalidSpec, type Manifest, type Resource, shown } from './api/index.ts';
export { described, fields, k8s, opt, type Static, t, type TSchema } from './api/index.ts';
export { cleanPolicy, networkMode, podMetadata, runtimeManagement, tieredStore, versionSpec } from './api/index.ts';
export { nameRule, replicasRule, type Rule, runtimeStatus, shortNameRule, shortNameWithWorkerRule } from './api/index.ts';
export { bytesText, canonicalQuantity, percentText, quantity } from './api/index.ts';
