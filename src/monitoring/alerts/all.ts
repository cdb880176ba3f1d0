import { type Alert, type Time, usualTime } from './alert.ts';
import { controllerAlerts } from './controller.ts';
import { datasetAlerts } from './datasets.ts';
import { nodeAlerts } from './node.ts';
import { operationAlerts } from './operations.ts';
import { validationAlerts, webhookAlerts } from './webhook.ts';

/** Alerts that belong together, and to a part that may not be installed. */
export interface AlertGroup {
  readonly name: string;
  readonly alerts: readonly Alert[];
}

/** The parts of an installation that alerts depend on. */
export interface Watched {
  readonly webhook: {
    readonly enabled: boolean;
    readonly validation: boolean;
    /** Whether it has an entry for pods with a label of their platform. */
    readonly platformLabel?: string;
  };
}
/** Entries of the configuration of the webhook, without one for `webhook.platformLabel`. */
const ENTRIES = 3;

export const alertGroups = ({ webhook }: Watched, time: Time = usualTime): readonly AlertGroup[] => [
  { name: 'sluice-controller', alerts: controllerAlerts(time) },
  { name: 'sluice-datasets', alerts: datasetAlerts(time) },
  { name: 'sluice-operations', alerts: operationAlerts(time) },
  { name: 'sluice-node-plugin', alerts: nodeAlerts(time) },
  ...(webhook.enabled
    ? [{ name: 'sluice-webhook', alerts: webhookAlerts(time, webhook.platformLabel === undefined ? ENTRIES : ENTRIES + 1) }]
    : []),
  ...(webhook.enabled && webhook.validation ? [{ name: 'sluice-validation', alerts: validationAlerts(time) }] : []),
];
