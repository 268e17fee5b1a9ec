-- A trading day: new customers and sales in every channel, returns, corrections.

BEGIN;

INSERT INTO customer VALUES
    (201, 'customer 201', 1988, 'TN', ARRAY['books', 'games']),
    (202, 'customer 202', NULL, NULL, NULL);
INSERT INTO item VALUES (91, 'AAAA0091', 20, 'brand 3', 149.90), (92, 'AAAA0092', NULL, NULL, NULL);

INSERT INTO store_sales VALUES
    (901, 91, 720, 201, 1, 5, 149.90, 212.50),
    (901, 12, 720, 201, 1, 1, 88.00, 11.25),
    (902, 91, 721, 3, 4, 2, 139.90, 90.00),
    (903, 5, NULL, NULL, NULL, NULL, NULL, -3.00),
    (904, 33, 365, 17, 7, 8, 99.95, 310.00);
INSERT INTO web_sales VALUES
    (421, 1, 91, 722, 201, 4, 145.00, 180.00),
    (421, 2, 12, 722, 201, 2, 80.00, 30.00),
    (422, 1, 72, 723, 9, 1, 60.00, 5.00);
INSERT INTO catalog_sales VALUES
    (91, 724, 201, 3, 140.00, 150.00),
    (91, 724, 201, 3, 140.00, 150.00),
    (12, NULL, NULL, 1, NULL, NULL);
INSERT INTO store_returns VALUES (901, 12, 731, 201, 1, 1, 88.00), (14, 2, 700, 3, 3, 9, 640.00);

-- Prices that were missing arrive, a price is corrected, a sale moves to another store and another customer.
UPDATE store_sales SET ss_sales_price = 12.34 WHERE ss_sales_price IS NULL AND ss_ticket_number < 300;
UPDATE store_sales SET ss_sales_price = ss_sales_price + 10 WHERE ss_ticket_number BETWEEN 40 AND 44;
UPDATE store_sales SET ss_store_sk = 2, ss_customer_sk = 8 WHERE ss_ticket_number = 100;
UPDATE store SET s_state = 'GA' WHERE s_store_sk = 3;
UPDATE item SET i_current_price = 95.00 WHERE i_item_sk = 23;
UPDATE customer SET c_interests = ARRAY['sports', 'sports', 'games'] WHERE c_customer_sk IN (10, 13);

-- A kind moves to another class, and takes its items with it.
UPDATE category SET cat_parent_sk = 5 WHERE cat_sk = 20;

-- One of two equal lines goes, and one whole order.
DELETE FROM catalog_sales WHERE ctid IN (SELECT min(ctid) FROM catalog_sales GROUP BY catalog_sales HAVING count(*) > 1 LIMIT 5);
DELETE FROM web_sales WHERE ws_order_number = 14;
DELETE FROM store_sales WHERE ss_ticket_number IN (7, 8);
DELETE FROM store_returns WHERE sr_ticket_number BETWEEN 20 AND 40;
DELETE FROM promotion WHERE p_promo_sk = 5;
UPDATE promotion SET p_end_date_sk = p_end_date_sk + 60 WHERE p_promo_sk IN (3, 9);

COMMIT;
