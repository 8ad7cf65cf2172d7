import type { Imports } from '@lettergate/contracts/imports/v1/imports'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from './ctx.ts'
import { getImport } from './jobs/get-import.ts'
import { listImports } from './jobs/list-imports.ts'
import { listOpenImports } from './jobs/list-open-imports.ts'
import { uploadImport } from './jobs/upload-import.ts'
import { listMappingProfiles } from './mapping/list-mapping-profiles.ts'
import { mapImport } from './mapping/map-import.ts'
import { approveImport } from './running/approve-import.ts'
import { cancelImport } from './running/cancel-import.ts'
import { retryImport } from './running/retry-import.ts'

/** The rpcs of this service, by feature. A gateway route leads to each, unless the comment says who asks. */
export const operations = {
  // jobs
  uploadImport,
  listImports,
  getImport,
  // jobs, called by campaigns-delivery
  listOpenImports,

  // mapping
  mapImport,
  listMappingProfiles,

  // running
  approveImport,
  retryImport,
  cancelImport,
} satisfies Operations<typeof Imports, Ctx>
