import { type CustomResource, crdOf } from '../../api/index.ts';

/** Values that a user may have written instead of a field. */
const ANYTHING = [undefined, null, 0, -1, 1.5, '', 'x', true, [], [null], {}, { a: null }];

/** Rules get specs of any shape; one that throws would look like a defect of Sluice. */
export function ruleFaults(resource: CustomResource): readonly string[] {
  const { rules = [], spec } = resource;
  const fields = Object.keys((spec as { properties?: object }).properties ?? {});
  const specs = [{}, ...fields.flatMap((field) => ANYTHING.map((value) => ({ [field]: value })))];
  return [
    ...rules.flatMap(({ path, expected, holds }) => {
      const said = path && expected ? [] : [`a rule of ${path || 'no path'}: expected a path and what is expected there`];
      const thrown = specs.flatMap((each) => {
        try {
          holds({ metadata: { name: 'demo' }, spec: each });
          return [];
        } catch (error) {
          return [`rule of ${path}: ${JSON.stringify(each)} ends in ${String(error)}`];
        }
      });
      return [...said, ...thrown.slice(0, 1)];
    }),
    ...printed(resource),
  ];
}

/** The CRD is what the API server takes. */
function printed(resource: CustomResource): readonly string[] {
  try {
    crdOf(resource);
    return [];
  } catch (error) {
    return [`the CRD cannot be printed: ${String(error)}`];
  }
}
