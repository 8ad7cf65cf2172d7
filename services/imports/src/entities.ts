import { ImportJob } from './jobs/import-job.entity.ts'
import { MappingProfile } from './mapping/mapping-profile.entity.ts'
import { ImportChunk } from './payload/import-chunk.entity.ts'

/** One entity for each table of the schema. */
export const entities = [ImportJob, ImportChunk, MappingProfile]
