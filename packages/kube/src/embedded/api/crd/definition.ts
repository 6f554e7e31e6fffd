import type { KubeObject } from '../../../schema/object.ts';
import type { Schema } from '../schema.ts';

/** A CustomResourceDefinition, as far as it is served. */
export interface Definition extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: DefinitionNames;
    versions: DefinitionVersion[];
    conversion?: { strategy: string };
    preserveUnknownFields?: boolean;
  };
  status: {
    conditions: DefinitionCondition[];
    acceptedNames: DefinitionNames;
    storedVersions: string[];
  };
}

export interface DefinitionNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface PrinterColumn {
  name: string;
  type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface DefinitionCondition {
  type: string;
  status: 'True' | 'False';
  lastTransitionTime: string;
  reason: string;
  message: string;
}
