import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'

/** Where what we know of a contact came from, one row for each upsert. */
export const ContactProvenance = defineEntity({
  name: 'ContactProvenance',
  tableName: 'contact_provenance',
  properties: {
    workspaceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    id: p.uuid().primary(),
    source: p.text(),
    sourceIdentifier: p.text().nullable(),
    sourceMetadata: p.json<JsonObject>().nullable(),
    sourceWorkspace: p.text().nullable(),
    actor: p.text(),
    actorKind: p.text(),
    correlationId: p.text(),
    isCreation: p.boolean(),
    recordedAt: p.datetime(),
  },
})
