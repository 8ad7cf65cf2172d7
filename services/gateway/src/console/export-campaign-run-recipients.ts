import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create } from '@bufbuild/protobuf'
import { timestampDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import { stringify } from 'csv-stringify'
import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import {
  ListCampaignRunRecipientsRequestSchema,
  type CampaignRunRecipient,
} from '@lettergate/contracts/campaigns/v1/reports'
import type { Client } from '@lettergate/rpc'
import type { Service } from '@lettergate/service'
import type { Exchange, Handler } from '../engine/exchange.ts'
import { compileRequest } from '../engine/transcode-request.ts'

const peopleAtOnce = 1_000
const pageTimeoutMs = 10_000

const at = (time: Timestamp | undefined) => (time === undefined ? '' : timestampDate(time).toISOString())

const columns: Record<string, (person: CampaignRunRecipient) => string> = {
  email: ({ email }) => email,
  state: ({ state }) => state,
  outcome: ({ outcome = '' }) => outcome,
  reasons: ({ reasons }) => reasons.join(';'),
  handed_off_at: ({ handedOffAt }) => at(handedOffAt),
  delivered_at: ({ deliveredAt }) => at(deliveredAt),
  soft_failed_at: ({ softFailedAt }) => at(softFailedAt),
  bounced_at: ({ bouncedAt }) => at(bouncedAt),
  opened_at: ({ openedAt }) => at(openedAt),
  clicked_at: ({ clickedAt }) => at(clickedAt),
  complained_at: ({ complainedAt }) => at(complainedAt),
  unsubscribed_at: ({ unsubscribedAt }) => at(unsubscribedAt),
  contact_id: ({ contactId }) => contactId,
  message_id: ({ id }) => id,
}

/**
 * The recipients of a run as a CSV file: all that match the filters, read page by page as fast as the client reads. A cell that
 * a spreadsheet would read as a formula begins with an apostrophe. A failed download is cut off.
 */
export function exportCampaignRunRecipients(service: Service, campaigns: Client<typeof CampaignsDelivery>): Handler {
  const convert = compileRequest(ListCampaignRunRecipientsRequestSchema)
  return async ({ req, res, scope, read }: Exchange) => {
    const caller = scope()
    const asked = create(ListCampaignRunRecipientsRequestSchema, { ...convert(await read()), limit: peopleAtOnce })
    const pageAfter = (cursor: string | undefined) =>
      campaigns.listCampaignRunRecipients(caller, cursor === undefined ? asked : { ...asked, cursor }, {
        timeoutMs: pageTimeoutMs,
      })

    // An invalid request is refused before the file begins.
    const first = await pageAfter(undefined)
    async function* people() {
      for (let page = first; ; page = await pageAfter(page.nextCursor)) {
        for (const person of page.recipients) yield Object.values(columns).map((cellOf) => cellOf(person))
        if (page.nextCursor === undefined) return
      }
    }
    res.writeHead(200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="recipients-${asked.runId}.csv"`,
      'Cache-Control': 'no-store',
    })
    if (req.method === 'HEAD') return void res.end()
    const csv = stringify({
      header: true,
      columns: Object.keys(columns),
      escape_formulas: true,
      record_delimiter: '\r\n',
    })
    try {
      await pipeline(Readable.from(people(), { highWaterMark: 64 }), csv, res)
    } catch (error) {
      // A part of the file is already sent: close the connection, so that the client sees an incomplete file.
      service.log.warn({ err: error, correlation_id: caller.caller.correlationId }, 'an export was cut short')
      res.destroy()
    }
  }
}
