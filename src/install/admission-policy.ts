import { Construct } from 'constructs';
import { PlainObject } from '../constructs/index.ts';

export interface AdmissionPolicyProps {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly resourceRules: readonly object[];
  /** Requests to which the policy applies. */
  readonly matchCondition: { readonly name: string; readonly expression: string };
  /** Variables and validations, in CEL. */
  readonly checks: object;
  readonly actions: readonly ('Deny' | 'Warn' | 'Audit')[];
}

/** A ValidatingAdmissionPolicy for objects of all namespaces and labels, which refuses what it cannot judge, and its binding. */
export class AdmissionPolicy extends Construct {
  constructor(scope: Construct, id: string, { metadata, resourceRules, matchCondition, checks, actions }: AdmissionPolicyProps) {
    super(scope, id);
    const apiVersion = 'admissionregistration.k8s.io/v1';
    new PlainObject(this, 'policy', {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, resourceRules },
        matchConditions: [matchCondition],
        ...checks,
      },
    });
    new PlainObject(this, 'binding', {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: actions },
    });
  }
}
