import { create } from '@bufbuild/protobuf'
import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { RenderContentVersionRequestSchema } from '@lettergate/contracts/campaigns/v1/templates'
import type { Client } from '@lettergate/rpc'
import type { Handler } from '../engine/exchange.ts'
import { compileRequest } from '../engine/transcode-request.ts'
import { inColors } from './in-colors.ts'
import { withInertLinks } from './inert-links.ts'

/** No script, form or request except for images, and no access to the origin. Only the console can frame it. */
const policy = `sandbox; default-src 'none'; img-src data: https:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`

/** The sanitised HTML of a content version as a page of its own, for a frame of the console. */
export function previewContentVersion(campaigns: Client<typeof CampaignsDelivery>): Handler {
  const convert = compileRequest(RenderContentVersionRequestSchema)
  return async ({ res, scope, read }) => {
    const parts = await read()
    const asked = create(RenderContentVersionRequestSchema, convert(parts))
    const { html: sanitised } = await campaigns.renderContentVersion(scope(), asked)
    const html = inColors(withInertLinks(sanitised), parts.query['colors'] === 'dark' ? 'dark' : 'light')
    res.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(html),
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'SAMEORIGIN',
    })
    res.end(html)
  }
}
