import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  GetContentVersionRequest,
  GetContentVersionResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import { row, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { ContentValidation } from './validate.ts'

interface FoundRow {
  id: string
  template_id: string
  version: number
  subject: string
  preheader: string | null
  sanitized_html: string
  plain_text: string
  personalization_defaults: Record<string, string>
  validation: ContentValidation
  created_by: string
  created_at: string
}

/** Returns one content version with the sanitised texts and the warnings for its author. */
export async function getContentVersion(
  ctx: Ctx,
  req: GetContentVersionRequest,
): Promise<Reply<typeof GetContentVersionResponseSchema>> {
  const id = req.contentVersionId
  const found = isUuid(id)
    ? await ctx.tx((em) =>
        row<FoundRow>(
          em,
          sql`select id, template_id, version, subject, preheader, sanitized_html, plain_text, personalization_defaults, validation,
                     created_by, created_at
                from content_versions where workspace_id = ${ctx.workspaceId} and id = ${id}`,
        ),
      )
    : undefined
  if (!found) throw new Fault('not_found', 'content_version', 'There is no such content version.')
  return {
    contentVersion: {
      id: found.id,
      templateId: found.template_id,
      version: found.version,
      subject: found.subject,
      ...(found.preheader === null ? {} : { preheader: found.preheader }),
      sanitizedHtml: found.sanitized_html,
      plainText: found.plain_text,
      personalizationDefaults: found.personalization_defaults,
      validation: found.validation,
      createdBy: found.created_by,
      createdAt: timestampFromDate(new Date(found.created_at)),
    },
  }
}
