/** The version of Kubernetes of the test control planes, and what it lacks. Of a developer's own cluster nothing is known: it lacks nothing. */
import { askedKubernetes, DEFAULT_KUBERNETES } from '../../harness/tools/kubernetes.ts';

const [, minor = ''] = askedKubernetes(process.env).split('.');

/** ValidatingAdmissionPolicies, and tokens that name the node of their pod: since 1.30 by default. */
export const hasPolicies = process.env['SLUICE_USE_CLUSTER'] === '1' || Number(minor) >= 30;

/** The version whose tables, explanations of its own kinds and words of refusals the API server in memory has. */
export const isDefault = askedKubernetes(process.env) === DEFAULT_KUBERNETES;

/** The flags of `sluice install` that this version needs. */
export const INSTALL_FLAGS: readonly string[] = hasPolicies ? [] : ['--no-node-policy'];

/** Kinds of policies, for lists of kinds that kubectl gets or deletes. */
export const POLICY_KINDS: readonly string[] = hasPolicies ? ['validatingadmissionpolicy', 'validatingadmissionpolicybinding'] : [];
