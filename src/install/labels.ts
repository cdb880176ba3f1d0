export type InstalledPart = 'controller' | 'csi' | 'webhook' | 'ui';

/** The labels by which pods are selected; a selector can never change. */
export const selector = (part: InstalledPart) => ({ 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/component': part });

export const labels = (part?: InstalledPart) => ({
  ...(part ? selector(part) : { 'app.kubernetes.io/name': 'sluice' }),
  'app.kubernetes.io/part-of': 'sluice',
});
