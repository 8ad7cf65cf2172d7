import { parseJson, type WorkflowEntry } from '../manifest.ts'
import type { LegacyExport } from '../read-export.ts'
import { workflowFromMautic } from './from-mautic.ts'
import { legacyWorkflow, requireLinked, type LegacyWorkflow } from './legacy-workflow.ts'
import type { z } from 'zod'

/** Reads one workflow of an export into the neutral format. */
export function readWorkflow(from: LegacyExport, { file, format }: WorkflowEntry): LegacyWorkflow {
  const bytes = from.files.get(file)!
  const read =
    format === 'mautic.campaign'
      ? workflowFromMautic(bytes, file)
      : parseJson(legacyWorkflow as unknown as z.ZodType<LegacyWorkflow>, bytes, file)
  return requireLinked(read, file)
}
