/** Objects as rows with columns, which is what `kubectl get` prints. */
import type { PrinterColumn } from '../../definition.ts';
import { isBuiltIn } from '../../kinds.ts';
import type { KubeObject, ResourceType } from '../../../kube/types.ts';
import { partial } from '../answers.ts';
import { builtInColumns, plain } from './built-in.ts';
import { ageColumn, nameColumn, type TableColumn } from './columns.ts';
import { customColumns } from './custom.ts';
import { podConditions } from './pods.ts';

/** How a table is made. */
export interface TableRequest {
  /** `additionalPrinterColumns` of the version of a CustomResourceDefinition. */
  readonly columns?: readonly PrinterColumn[];
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** The part of its object that a row includes: nothing, its metadata or all of it. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  /** Version of the list, or of the only object. */
  readonly resourceVersion?: string;
  /** Where the next page begins. */
  readonly continue?: string;
  /** False after the first event of a watch, whose table has the definitions of the columns. Default: true. */
  readonly headers?: boolean;
}

/**
 * The Table (meta.k8s.io/v1) that an API server answers to `Accept: application/json;as=Table;v=v1;g=meta.k8s.io`, with the columns of
 * Kubernetes 1.34. An object of any shape has a row: what cannot be read is an empty cell. Columns of built-in kinds have no description.
 */
export function tableOf(type: ResourceType, objects: readonly KubeObject[], how: TableRequest): object {
  const columns = columnsOf(type, how.columns ?? []);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {
      ...(how.resourceVersion !== undefined && { resourceVersion: how.resourceVersion }),
      ...(how.continue !== undefined && { continue: how.continue }),
    },
    columnDefinitions: how.headers === false ? null : columns.map(({ definition }) => definition),
    rows: objects.map((object) => {
      const conditions = type.kind === 'Pod' && type.group === '' ? podConditions(object) : undefined;
      return {
        cells: columns.map(({ cell }) => cell(object, how.now)),
        ...(conditions && { conditions }),
        object: included(object, how.includeObject),
      };
    }),
  };
}

/** The column of custom resources without columns. */
const customAge: TableColumn = { ...ageColumn, definition: { ...ageColumn.definition, type: 'date' } };

function columnsOf(type: ResourceType, printed: readonly PrinterColumn[]): readonly TableColumn[] {
  const builtIn = builtInColumns(type);
  if (builtIn) return builtIn;
  if (isBuiltIn(type)) return plain;
  return [nameColumn, ...(printed.length === 0 ? [customAge] : customColumns(printed))];
}

function included(object: KubeObject, part: TableRequest['includeObject']): object | null {
  if (part === 'None') return null;
  if (part === 'Object') return object;
  return partial(object);
}
