import type { Express, Request, Response } from 'express'
import type { Zones } from '../dns/zones.ts'
import { isWebhookType, webhookTypes, type Account, type Domain } from './account.ts'
import { recordsAnswer } from './domain-records.ts'
import { reply } from './faults.ts'
import { readForm } from './form.ts'

const urlsMax = 3

/** The routes of domains (v4) and of their webhooks (v3). */
export function domainRoutes(app: Express, account: Account, zones: Zones) {
  const known = (req: Request, res: Response) => {
    const name = req.params['domain']
    const domain = typeof name === 'string' ? account.domain(name) : undefined
    if (!domain) reply(res, 404, { message: 'Domain not found' })
    return domain
  }

  app.get(['/v4/domains', '/v3/domains'], (req, res) => {
    const all = account
      .domains()
      .filter(({ state }) => req.query['state'] === undefined || req.query['state'] === state)
    const from = Number(req.query['skip']) || 0
    const items = all.slice(from, from + (Number(req.query['limit']) || 100))
    reply(res, 200, { total_count: all.length, items: items.map(domainAnswer) })
  })

  app.get(['/v4/domains/:domain', '/v3/domains/:domain'], (req, res) => {
    const domain = known(req, res)
    if (domain)
      reply(res, 200, { domain: domainAnswer(domain), ...recordsAnswer(zones, domain.name, domain.dkimSelector) })
  })

  app.put(['/v4/domains/:domain/verify', '/v3/domains/:domain/verify'], (req, res) => {
    const domain = known(req, res)
    if (!domain) return
    const records = recordsAnswer(zones, domain.name, domain.dkimSelector)
    if (records.sending_dns_records.every(({ valid }) => valid === 'valid'))
      account.putDomain(domain.name, { state: 'active' })
    reply(res, 200, { message: 'Domain DNS records have been updated', domain: domainAnswer(domain), ...records })
  })

  app.get('/v3/domains/:domain/webhooks', (req, res) => {
    const domain = known(req, res)
    if (domain)
      reply(res, 200, {
        webhooks: Object.fromEntries(webhookTypes.map((type) => [type, webhookAnswer(domain.webhooks[type])])),
      })
  })

  app.post('/v3/domains/:domain/webhooks', async (req, res) => {
    const form = await readForm(req)
    const domain = known(req, res)
    if (!domain) return
    const type = form.get('id')?.[0]
    const urls = form.get('url') ?? []
    if (!isWebhookType(type))
      return reply(res, 400, { message: `Invalid webhook id: use one of ${webhookTypes.join(', ')}` })
    if (domain.webhooks[type]) return reply(res, 400, { message: 'Webhook already exists' })
    set(res, account, { domain, type, urls }, 'Webhook has been created')
  })

  app.get('/v3/domains/:domain/webhooks/:type', (req, res) => {
    const found = existing(known(req, res), req.params.type, res)
    if (found) reply(res, 200, { webhook: webhookAnswer(found.urls) })
  })

  app.put('/v3/domains/:domain/webhooks/:type', async (req, res) => {
    const form = await readForm(req)
    const found = existing(known(req, res), req.params.type, res)
    if (found) set(res, account, { ...found, urls: form.get('url') ?? [] }, 'Webhook has been updated')
  })

  app.delete('/v3/domains/:domain/webhooks/:type', (req, res) => {
    const found = existing(known(req, res), req.params.type, res)
    if (!found) return
    account.setWebhook(found.domain, found.type, [])
    reply(res, 200, { message: 'Webhook has been deleted', webhook: webhookAnswer(found.urls) })
  })
}

type Registration = { domain: Domain; type: (typeof webhookTypes)[number]; urls: readonly string[] }

function existing(domain: Domain | undefined, type: string, res: Response): Registration | undefined {
  if (!domain) return undefined
  const urls = isWebhookType(type) ? domain.webhooks[type] : undefined
  if (!isWebhookType(type) || !urls) {
    reply(res, 404, { message: 'Webhook not found' })
    return undefined
  }
  return { domain, type, urls }
}

function set(res: Response, account: Account, { domain, type, urls }: Registration, message: string) {
  const distinct = [...new Set(urls)]
  if (distinct.length === 0 || !distinct.every(isHttpUrl))
    return reply(res, 400, { message: 'url parameter is missing or is not a valid URL' })
  if (distinct.length > urlsMax)
    return reply(res, 400, { message: `The limit of ${urlsMax} URLs per webhook type is exceeded` })
  account.setWebhook(domain, type, distinct)
  reply(res, 200, { message, webhook: webhookAnswer(distinct) })
}

const isHttpUrl = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
const webhookAnswer = (urls: readonly string[] | undefined) => (urls && urls.length > 0 ? { urls } : null)

const domainAnswer = (domain: Domain) => ({
  id: domain.id,
  name: domain.name,
  state: domain.state,
  type: 'custom',
  created_at: domain.createdAt,
  is_disabled: domain.state === 'disabled',
  require_tls: false,
  skip_verification: false,
  smtp_login: `postmaster@${domain.name}`,
  spam_action: 'disabled',
  tracking_host: `email.${domain.name}`,
  use_automatic_sender_security: false,
  web_prefix: 'email',
  web_scheme: 'https',
  wildcard: false,
})
