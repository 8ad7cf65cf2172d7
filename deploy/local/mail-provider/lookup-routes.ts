import { json, type Express, type Request, type Response } from 'express'
import type { Account } from './account.ts'
import { eventData } from './event-payload.ts'
import { reply } from './faults.ts'
import { condition, findEvents, logItem, type Condition } from './lookup.ts'
import type { Mailbox } from './mailbox.ts'

const pageMax = 300
const paging = ['limit', 'begin', 'end', 'ascending', 'pretty', 'page']

/** The routes with which a sender looks a message up: the events of the domain, and the logs of the account. */
export function lookupRoutes(app: Express, account: Account, mailbox: Mailbox) {
  app.get(
    ['/v3/:domain/events', '/v3/:domain/events/:page'],
    (req: Request<{ domain: string; page?: string }>, res) => {
      const domain = account.domain(req.params.domain)
      if (!domain) return reply(res, 404, { message: 'Domain not found' })
      const conditions: Condition[] = [(delivery) => delivery.batch.domain === domain.name]
      const query = readQuery(req)
      for (const [name, value] of query) {
        if (paging.includes(name)) continue
        const read = condition(name, '=', value.split(/ OR /i))
        if (!read) return reply(res, 400, { message: `unknown filter field ${name}` })
        conditions.push(read)
      }
      conditions.push(between(seconds(query.get('begin')), seconds(query.get('end'))))

      const found = findEvents(mailbox, conditions)
      if (query.get('ascending') !== 'yes' && query.get('ascending') !== 'true') found.reverse()
      const limit = Math.min(Number(query.get('limit') ?? 100) || 100, pageMax)
      const page = Number(req.params.page ?? 0) || 0
      const at = (number: number) =>
        `${req.protocol}://${req.get('host')}/v3/${domain.name}/events/${Math.max(0, number)}?${new URLSearchParams([...query]).toString()}`
      const last = Math.max(0, Math.ceil(found.length / limit) - 1)
      reply(res, 200, {
        items: found
          .slice(page * limit, (page + 1) * limit)
          .map(({ delivery, happened }) => eventData(delivery, happened)),
        paging: { first: at(0), previous: at(page - 1), next: at(page + 1), last: at(last) },
      })
    },
  )

  app.post('/v1/analytics/logs', json({ limit: '1mb' }), (req, res) => {
    const query = (req.body ?? {}) as LogsQuery
    const conditions = logsConditions(query, res)
    if (!conditions) return
    const found = findEvents(mailbox, conditions)
    if (!query.pagination?.sort?.endsWith(':asc')) found.reverse()
    const limit = Math.min(query.pagination?.limit ?? 100, 1000)
    const from = Number(query.pagination?.token ?? 0) || 0
    const token = (position: number) => (position < 0 || position >= found.length ? '' : String(position))
    reply(res, 200, {
      start: query.start ?? new Date(Date.now() - 86_400_000).toUTCString(),
      end: query.end ?? new Date().toUTCString(),
      items: found.slice(from, from + limit).map(logItem),
      pagination: {
        first: '0',
        previous: token(from - limit),
        next: token(from + limit),
        last: token(Math.floor(Math.max(0, found.length - 1) / limit) * limit),
        total: found.length,
      },
      aggregates: { all: found.length, metrics: {} },
    })
  })
}

interface LogsQuery {
  start?: string
  end?: string
  events?: string[]
  filter?: { AND?: { attribute: string; comparator: string; values: { value: string }[] }[] }
  pagination?: { sort?: string; token?: string; limit?: number }
}

/** The conditions of the query; undefined after a 400 was answered. */
function logsConditions(query: LogsQuery, res: Response): Condition[] | undefined {
  const conditions = [between(Date.parse(query.start ?? ''), Date.parse(query.end ?? ''))]
  if (query.events && query.events.length > 0) conditions.push(condition('event', '=', query.events) ?? (() => false))
  for (const { attribute, comparator, values } of query.filter?.AND ?? []) {
    const read = condition(
      attribute,
      comparator,
      (values ?? []).map(({ value }) => String(value)),
    )
    if (!read) {
      reply(res, 400, { message: `filter on ${attribute} with ${comparator} is not supported` })
      return undefined
    }
    conditions.push(read)
  }
  return conditions
}

const seconds = (value: string | undefined) =>
  value === undefined ? Number.NaN : Number.isFinite(Number(value)) ? Number(value) * 1000 : Date.parse(value)

/** Bounds in milliseconds, in either order; NaN means no bound. The end includes its whole second, because RFC 2822 has no fractions. */
function between(begin: number, end: number): Condition {
  const [from, to] = begin > end ? [end, begin] : [begin, end]
  return (_delivery, { at }) => !(at < Math.floor(from / 1000) * 1000) && !(at > Math.floor(to / 1000) * 1000 + 999)
}

const readQuery = (req: Request<{ domain: string; page?: string }>) =>
  new Map(new URL(req.originalUrl, 'http://localhost').searchParams.entries())
