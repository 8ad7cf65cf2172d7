import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  GetContentVersionRequest,
  GetContentVersionResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { ContentVersion } from './content-version.entity.ts'

/** Returns one content version with the sanitised texts and the warnings for its author. */
export async function getContentVersion(
  ctx: Ctx,
  req: GetContentVersionRequest,
): Promise<Reply<typeof GetContentVersionResponseSchema>> {
  const { workspaceId } = ctx
  const id = req.contentVersionId
  const found = isUuid(id) ? await ctx.tx((em) => em.findOne(ContentVersion, { workspaceId, id })) : null
  if (!found) throw new Fault('not_found', 'content_version', 'There is no such content version.')
  return {
    contentVersion: {
      id: found.id,
      templateId: found.templateId,
      version: found.version,
      subject: found.subject,
      ...(found.preheader === null ? {} : { preheader: found.preheader }),
      sanitizedHtml: found.sanitizedHtml,
      plainText: found.plainText,
      personalizationDefaults: found.personalizationDefaults,
      validation: found.validation,
      createdBy: found.createdBy,
      createdAt: timestampFromDate(found.createdAt),
    },
  }
}
