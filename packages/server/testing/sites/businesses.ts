import type { Business } from "./template.ts";

/** Six kinds of businesses in English, one in Spanish, one in French. */
export const DENTIST: Business = {
  name: "Hillside Dental, PLLC",
  useCase: "account_notification",
  lang: "en",
  about:
    "We are a family practice in Portland. Our patients book an appointment online or by phone, and we remind them the day before. New patients are welcome, and we work with most insurance plans.",
  samples: [
    "Hillside Dental: your cleaning is tomorrow at 2:30 PM. Reply C to confirm or call us to move it.",
    "Hillside Dental: it is six months since your last visit. Call (503) 555-0142 to find a time that suits you.",
  ],
};
export const SHOP: Business = {
  name: "Juniper & Oak",
  useCase: "marketing",
  lang: "en",
  about:
    "We make furniture from oak and ash that lasts for a lifetime. Visit our store in Bend or shop online: tables, chairs and shelves, all built by hand in our own workshop.",
  samples: [
    "Juniper & Oak: our spring sale starts today, 20% off all chairs until Sunday. Reply STOP to opt out.",
    "Juniper & Oak: the shelf you liked is back in stock in our Bend store. Reply STOP to opt out.",
  ],
};
export const RESTAURANT: Business = {
  name: "Mama Rosa Pizzeria",
  useCase: "mixed",
  lang: "en",
  about:
    "Wood-fired pizza since 1987, in the heart of Salem. Eat here, take away, or let us deliver. Our lunch menu changes every week, and on Mondays children eat free.",
  samples: [
    "Mama Rosa Pizzeria: two pizzas for $20 tonight, a deal for our regulars. Reply STOP to opt out.",
    "Mama Rosa Pizzeria: your table for four is ready. Please come to the front desk within ten minutes.",
  ],
};
export const CHARITY: Business = {
  name: "Riverbend Food Bank",
  useCase: "public_service_announcement",
  lang: "en",
  about:
    "We bring food to families in our county and community. Volunteers sort and pack every Tuesday and Saturday. Find out where the next distribution is and how the public can help.",
  samples: [
    "Riverbend Food Bank: Saturday's distribution moves to Lincoln School, 9 AM to noon, because of the weather.",
    "Riverbend Food Bank: volunteers needed on Tuesday evening to pack boxes. Reply YES if you can come.",
  ],
};
export const BANK_APP: Business = {
  name: "Copperline",
  useCase: "2fa",
  lang: "en",
  about:
    "Copperline keeps the books of small companies. Log in to your account to send invoices, follow payments and close the month in an hour. Security comes first: every sign-in is verified.",
  samples: [
    "Copperline: 482913 is your sign-in code. We will never ask you for it. It expires in 10 minutes.",
    "Use 150872 to confirm your new phone with Copperline. If this was not you, ignore this text.",
  ],
};
export const COURIER: Business = {
  name: "Northway Couriers Inc.",
  useCase: "delivery_notification",
  lang: "en",
  about:
    "Same-day delivery in the whole valley. We pick up your order at the store and bring it to the door, and you track the driver on a map. Businesses and private customers ship with us.",
  samples: [
    "Northway Couriers: your order 4471 is out for delivery and arrives between 3 and 5 PM today.",
    "Northway Couriers: we could not reach you at the door. Your parcel waits at the desk, 12 Mill Street.",
  ],
};
export const SALON: Business = {
  name: "Salón Camila",
  useCase: "account_notification",
  lang: "es",
  about:
    "Somos un salón de belleza en el centro de la ciudad. Nuestros clientes reservan su cita por teléfono o en línea, y les enviamos un recordatorio el día antes. Atendemos de martes a sábado.",
  samples: [
    "Salón Camila: your appointment is tomorrow at 10:30. Reply C to confirm or call us to move it.",
    "Salón Camila: we are closed on Monday for the holiday and open again on Tuesday at nine.",
  ],
};
export const BAKERY: Business = {
  name: "Boulangerie Dupré",
  useCase: "customer_care",
  lang: "fr",
  about:
    "Nous sommes une boulangerie de quartier ouverte tous les jours sauf le lundi. Vous commandez votre pain et vos gâteaux en ligne, et nous vous prévenons quand la commande est prête.",
  samples: [
    "Boulangerie Dupré: your cake is ready and waits for you at the counter until six this evening.",
    "Boulangerie Dupré: thank you for your question. We will call you back tomorrow morning.",
  ],
};

export const BUSINESSES = [DENTIST, SHOP, RESTAURANT, CHARITY, BANK_APP, COURIER, SALON, BAKERY];
