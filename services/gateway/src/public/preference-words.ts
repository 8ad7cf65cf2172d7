/**
 * Every sentence of the public preference page, in the five languages that recipients are spoken to in. Names come in
 * as they are to stand there; the words themselves hold nothing that HTML would have to escape.
 */
export interface Words {
  askAudienceHeading: (audience: string) => string
  askAudience: (workspace: string, audience: string) => string
  askAllHeading: (workspace: string) => string
  askAll: (workspace: string) => string
  address: string
  whatStops: string
  unsubscribe: string
  older: string
  stopAllHeading: string
  stopAllToo: (workspace: string) => string
  stopAll: (workspace: string) => string
  doneHeading: string
  doneAudience: (workspace: string, audience: string) => string
  doneAll: (workspace: string) => string
  mistake: string
  endedHeading: string
  ended: (workspace: string) => string
  nobodyHeading: string
  nobody: (workspace: string) => string
}

const en: Words = {
  askAudienceHeading: (audience) => `Unsubscribe from “${audience}”?`,
  askAudience: (workspace, audience) => `${workspace} sends you emails for “${audience}”.`,
  askAllHeading: (workspace) => `Stop all email from ${workspace}?`,
  askAll: (workspace) => `This ends every email that ${workspace} sends you, whatever it is about.`,
  address: 'Address',
  whatStops: 'When you press the button, these emails stop at once. Until then nothing changes.',
  unsubscribe: 'Unsubscribe',
  older: 'This link comes from an older email. It still works.',
  stopAllHeading: 'No more email at all?',
  stopAllToo: (workspace) => `You can also end everything else that ${workspace} sends to this address.`,
  stopAll: (workspace) => `Stop all email from ${workspace}`,
  doneHeading: 'You are unsubscribed',
  doneAudience: (workspace, audience) => `${workspace} will send no more emails for “${audience}” to this address.`,
  doneAll: (workspace) => `${workspace} will send no more emails to this address, whatever they are about.`,
  mistake: 'If this was a mistake, write to the sender. Signing up again is not enough.',
  endedHeading: 'These emails have ended',
  ended: (workspace) =>
    `${workspace} no longer sends the emails that this link belongs to. There is nothing left to stop.`,
  nobodyHeading: 'There is nothing to unsubscribe',
  nobody: (workspace) =>
    `This link is valid, but it belongs to nobody to whom ${workspace} sends email: the address was deleted, or the email was a test. Nothing was changed, and you need to do nothing.`,
}

const de: Words = {
  askAudienceHeading: (audience) => `„${audience}“ abbestellen?`,
  askAudience: (workspace, audience) => `${workspace} schickt Ihnen E-Mails zu „${audience}“.`,
  askAllHeading: (workspace) => `Alle E-Mails von ${workspace} abbestellen?`,
  askAll: (workspace) => `Damit enden alle E-Mails, die ${workspace} Ihnen schickt, gleich zu welchem Thema.`,
  address: 'Adresse',
  whatStops: 'Wenn Sie auf die Schaltfläche drücken, enden diese E-Mails sofort. Bis dahin ändert sich nichts.',
  unsubscribe: 'Abbestellen',
  older: 'Dieser Link stammt aus einer älteren E-Mail. Er funktioniert weiterhin.',
  stopAllHeading: 'Gar keine E-Mails mehr?',
  stopAllToo: (workspace) => `Sie können auch alles andere beenden, was ${workspace} an diese Adresse schickt.`,
  stopAll: (workspace) => `Alle E-Mails von ${workspace} abbestellen`,
  doneHeading: 'Sie sind abgemeldet',
  doneAudience: (workspace, audience) => `${workspace} schickt an diese Adresse keine E-Mails zu „${audience}“ mehr.`,
  doneAll: (workspace) => `${workspace} schickt an diese Adresse keine E-Mails mehr, gleich zu welchem Thema.`,
  mistake: 'War das ein Versehen? Schreiben Sie dem Absender. Sich neu anzumelden genügt nicht.',
  endedHeading: 'Diese E-Mails gibt es nicht mehr',
  ended: (workspace) =>
    `${workspace} verschickt die E-Mails, zu denen dieser Link gehört, nicht mehr. Hier ist nichts mehr abzubestellen.`,
  nobodyHeading: 'Hier ist nichts abzubestellen',
  nobody: (workspace) =>
    `Dieser Link ist gültig, gehört aber zu niemandem, dem ${workspace} E-Mails schickt: Die Adresse wurde gelöscht, oder die E-Mail war ein Test. Es wurde nichts geändert, und Sie brauchen nichts zu tun.`,
}

const fr: Words = {
  askAudienceHeading: (audience) => `Vous désabonner de «\u00a0${audience}\u00a0»\u00a0?`,
  askAudience: (workspace, audience) => `${workspace} vous envoie des e-mails pour «\u00a0${audience}\u00a0».`,
  askAllHeading: (workspace) => `Arrêter tous les e-mails de ${workspace}\u00a0?`,
  askAll: (workspace) => `Cela met fin à tous les e-mails que ${workspace} vous envoie, quel que soit leur sujet.`,
  address: 'Adresse',
  whatStops: 'Dès que vous appuyez sur le bouton, ces e-mails s’arrêtent. D’ici là, rien ne change.',
  unsubscribe: 'Me désabonner',
  older: 'Ce lien vient d’un e-mail plus ancien. Il fonctionne toujours.',
  stopAllHeading: 'Plus aucun e-mail\u00a0?',
  stopAllToo: (workspace) => `Vous pouvez aussi mettre fin à tout ce que ${workspace} envoie d’autre à cette adresse.`,
  stopAll: (workspace) => `Arrêter tous les e-mails de ${workspace}`,
  doneHeading: 'Votre désabonnement est enregistré',
  doneAudience: (workspace, audience) =>
    `${workspace} n’enverra plus d’e-mails pour «\u00a0${audience}\u00a0» à cette adresse.`,
  doneAll: (workspace) => `${workspace} n’enverra plus aucun e-mail à cette adresse, quel que soit son sujet.`,
  mistake: 'Si c’était une erreur, écrivez à l’expéditeur. Une nouvelle inscription ne suffit pas.',
  endedHeading: 'Ces e-mails n’existent plus',
  ended: (workspace) =>
    `${workspace} n’envoie plus les e-mails auxquels ce lien se rapporte. Il n’y a plus rien à arrêter.`,
  nobodyHeading: 'Aucun abonnement à arrêter',
  nobody: (workspace) =>
    `Ce lien est valable, mais il n’appartient à personne à qui ${workspace} envoie des e-mails\u00a0: l’adresse a été supprimée, ou l’e-mail était un essai. Rien n’a changé, et vous n’avez rien à faire.`,
}

const es: Words = {
  askAudienceHeading: (audience) => `¿Dejar de recibir «${audience}»?`,
  askAudience: (workspace, audience) => `${workspace} le envía correos de «${audience}».`,
  askAllHeading: (workspace) => `¿Dejar de recibir todos los correos de ${workspace}?`,
  askAll: (workspace) => `Así terminan todos los correos que ${workspace} le envía, traten de lo que traten.`,
  address: 'Dirección',
  whatStops: 'En cuanto pulse el botón, estos correos dejarán de llegar. Hasta entonces no cambia nada.',
  unsubscribe: 'Cancelar la suscripción',
  older: 'Este enlace procede de un correo antiguo. Sigue funcionando.',
  stopAllHeading: '¿Ningún correo más?',
  stopAllToo: (workspace) => `También puede poner fin a todo lo demás que ${workspace} envía a esta dirección.`,
  stopAll: (workspace) => `No recibir ningún correo de ${workspace}`,
  doneHeading: 'Su suscripción está cancelada',
  doneAudience: (workspace, audience) => `${workspace} no enviará más correos de «${audience}» a esta dirección.`,
  doneAll: (workspace) => `${workspace} no enviará más correos a esta dirección, traten de lo que traten.`,
  mistake: 'Si fue un error, escriba al remitente. Volver a suscribirse no basta.',
  endedHeading: 'Estos correos ya no existen',
  ended: (workspace) =>
    `${workspace} ya no envía los correos a los que pertenece este enlace. No queda nada que cancelar.`,
  nobodyHeading: 'No hay nada que cancelar',
  nobody: (workspace) =>
    `Este enlace es válido, pero no pertenece a nadie a quien ${workspace} envíe correos: la dirección se eliminó o el correo era una prueba. No se ha cambiado nada y no tiene que hacer nada.`,
}

const sv: Words = {
  askAudienceHeading: (audience) => `Avsluta prenumerationen på ”${audience}”?`,
  askAudience: (workspace, audience) => `${workspace} skickar dig mejl om ”${audience}”.`,
  askAllHeading: (workspace) => `Stoppa alla mejl från ${workspace}?`,
  askAll: (workspace) => `Då upphör alla mejl som ${workspace} skickar dig, vad de än handlar om.`,
  address: 'Adress',
  whatStops: 'När du trycker på knappen slutar mejlen komma direkt. Fram till dess ändras inget.',
  unsubscribe: 'Avsluta prenumerationen',
  older: 'Länken kommer från ett äldre mejl. Den fungerar fortfarande.',
  stopAllHeading: 'Inga fler mejl alls?',
  stopAllToo: (workspace) => `Du kan också avsluta allt annat som ${workspace} skickar till den här adressen.`,
  stopAll: (workspace) => `Stoppa alla mejl från ${workspace}`,
  doneHeading: 'Prenumerationen är avslutad',
  doneAudience: (workspace, audience) => `${workspace} skickar inga fler mejl om ”${audience}” till den här adressen.`,
  doneAll: (workspace) => `${workspace} skickar inga fler mejl till den här adressen, vad de än handlar om.`,
  mistake: 'Blev det fel? Skriv till avsändaren. Att anmäla sig igen räcker inte.',
  endedHeading: 'De här mejlen finns inte längre',
  ended: (workspace) =>
    `${workspace} skickar inte längre de mejl som länken hör till. Det finns inget kvar att avsluta.`,
  nobodyHeading: 'Det finns inget att avsluta',
  nobody: (workspace) =>
    `Länken är giltig men hör inte till någon som ${workspace} skickar mejl till: adressen har raderats, eller så var mejlet ett test. Inget har ändrats, och du behöver inte göra något.`,
}

const catalogue = { en, de, fr, es, sv } as const
export type Language = keyof typeof catalogue
export const languages = Object.keys(catalogue) as Language[]

const isSpoken = (language: string | false | undefined): language is Language =>
  languages.some((spoken) => spoken === language)

/** The recipient's own locale decides; without one that is spoken here, what their browser asks for; else English. */
export function languageOf(locale: string | undefined, browser: string | false): Language {
  const own = locale?.trim().toLowerCase().split(/[-_]/, 1)[0]
  if (isSpoken(own)) return own
  return isSpoken(browser) ? browser : 'en'
}

export const wordsIn = (language: Language): Words => catalogue[language]
