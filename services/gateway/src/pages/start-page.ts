import { sendHtml, type Handler } from '../engine/exchange.ts'
import { page, pagePolicy } from './page.ts'

const html = page({
  title: 'Lettergate',
  paragraphs: [
    'Lettergate keeps contacts and their consent, and sends email campaigns through a mail provider to the people who asked for them.',
    'If one of its emails brought you here: use the unsubscribe link in that email. It works without an account.',
  ],
  links: [
    {
      href: '/docs',
      text: 'API reference',
      about: 'Every operation, with an example of its request and its response.',
    },
    { href: '/api/v1/openapi.json', text: 'OpenAPI document', about: 'The same description, for tools.' },
    { href: '/console', text: 'Console', about: 'Sign in to work in a workspace.' },
    {
      href: '/healthz',
      text: 'Health',
      about: 'Whether this process runs. `/readyz` says whether it can serve requests.',
    },
  ],
  notes: [
    'API calls carry a token of the identity wallet: `Authorization: Bearer wallet-session-…`. Errors are HTML pages; the headers `X-Error-Reason` and `X-Correlation-ID` are for programs and for support.',
  ],
})

/** Describes the product and links to the documentation. */
export const startPage: Handler = ({ res }) => sendHtml(res, 200, html, pagePolicy)
