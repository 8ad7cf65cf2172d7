import { sendHtml, type Handler } from '../engine/exchange.ts'
import { page, pagePolicy } from './page.ts'

const html = page({
  title: 'Lettergate console',
  paragraphs: [
    'The console is for the people who run a workspace: they look after contacts and consent, senders, campaigns and gates.',
    "The console's pages come with a later release. Until then everything that is offered works through the API.",
  ],
  links: [
    {
      href: '/console/auth/sign-in',
      text: 'Sign in',
      about: 'Use the API from this browser, with a session of the identity wallet.',
    },
    {
      href: '/api/v1/me',
      text: 'Who am I?',
      about: 'Your user, your workspaces and the CSRF token, once you are signed in.',
    },
    {
      href: '/docs',
      text: 'API reference',
      about: 'Every operation, with an example of its request and its response.',
    },
    {
      href: '/console/api/openapi.json',
      text: 'Operations of the console',
      about: 'The OpenAPI document of the routes under `/console/api`, once you are signed in.',
    },
    { href: '/', text: 'Start page', about: 'What Lettergate is.' },
  ],
  notes: ['A request that changes something needs the header `X-CSRF-Token`, with `csrf_token` of `GET /api/v1/me`.'],
})

/** Describes the console and the routes that work without its pages. */
export const consolePage: Handler = ({ res }) => sendHtml(res, 200, html, pagePolicy)
