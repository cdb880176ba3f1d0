export type Part = 'controller' | 'csi' | 'webhook';

/** The labels by which pods are selected; a selector can never change. */
export const selector = (part: Part) => ({ 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/component': part });

export const labels = (part?: Part) => ({
  ...(part ? selector(part) : { 'app.kubernetes.io/name': 'sluice' }),
  'app.kubernetes.io/part-of': 'sluice',
});
