-- A busy minute in the shop: run it between two runs of trickle.

BEGIN;

INSERT INTO customers VALUES (201, 'customer 201', 'north', timestamptz '2025-04-01 09:00:00+00');
INSERT INTO orders VALUES (1501, 201, 'paid', timestamptz '2025-04-01 09:05:00+00');
INSERT INTO order_items VALUES (1501, 1, 7, 4, 337.32), (1501, 2, 12, 30, 158.40), (1501, 3, 12, 1, NULL);

-- A customer moves, an order is cancelled, another one comes back, and amounts that were missing arrive.
UPDATE customers SET region = 'west' WHERE id = 20;
UPDATE orders SET status = 'cancelled' WHERE id = 3;
UPDATE orders SET status = 'paid' WHERE id = 1;
UPDATE order_items SET amount = 19.99 WHERE amount IS NULL AND order_id < 100;

-- An order is deleted with its lines.
DELETE FROM orders WHERE id = 42;

COMMIT;
